// The links of Markdown pages, and what they may point at.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ROOT } from "../../fixtures/root.ts";

const withoutFences = (page: string): string => page.replaceAll(/^```.*?^```$/gms, "");

/** The headings of a page, without their marks. */
export const headingsOf = (page: string): readonly string[] =>
  Array.from(withoutFences(page).matchAll(/^#{1,6} (.*)$/gm), ([, heading = ""]) => heading);

// As GitHub derives an anchor from a heading.
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/\]\([^)]*\)/g, "")
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Where the links of a page point to. */
export const linksOf = (page: string): readonly string[] =>
  Array.from(withoutFences(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target);

/** What is wrong with a link from a page, given by its path relative to the project; undefined if nothing is. */
export function linkFault(path: string, target: string): string | undefined {
  if (target.startsWith("https://")) {
    return URL.canParse(target) ? undefined : "is no URL";
  }
  const [file = "", anchor] = target.split("#");
  const goal = file === "" ? path : normalize(join(dirname(path), file));
  if (goal.startsWith("..") || !existsSync(join(ROOT, goal))) {
    return "points to no file";
  }
  const isThere =
    anchor === undefined || headingsOf(readFileSync(join(ROOT, goal), "utf8")).some((one) => anchorOf(one) === anchor);
  return isThere ? undefined : "points to no heading";
}

// All the content that the search can find: operations, errors, and each section of the guides.
import { REASONS } from "../../src/problem/reason.ts";
import { GUIDES, OTHER_GROUPS } from "./guides.ts";
import { OPERATIONS } from "./operations.ts";
import { REASON_PAGES } from "./reasons.ts";
import { titleOfTag } from "./services.ts";

/** What kind of page an entry leads to, which decides how high it is listed. */
export type SearchKind = "background" | "background-page" | "error" | "example" | "guide" | "method" | "page" | "section";

export interface SearchEntry {
  /** Its path on the site, with the section's anchor. */
  readonly id: string;
  readonly title: string;
  /** The page or section it is part of, shown next to the title. */
  readonly part: string;
  readonly kind: SearchKind;
  /** Its other names, separated by commas, which count as much as its title; empty if it has none. */
  readonly aliases: string;
  /** Extra search terms. */
  readonly words: string;
}

const WORDS_CHARS_MAX = 600;

// Each parameter's name and meaning is in a table; indexing its text is enough.
const wordsOf = (markdown: string): string =>
  markdown
    .replaceAll(/<[^>]*>|&\w+;|[`*|[\]#]|\(#?[^)]*\)|-{3,}/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, WORDS_CHARS_MAX);

// What customers do not look for: how to run the software, how it works inside, and what has changed in it.
const BACKGROUND: readonly string[] = ["/docs/changelog", ...OTHER_GROUPS.flatMap(({ guides }) => guides.map(({ path }) => path))];

const ALIASES: Readonly<Record<string, string>> = {
  "/reference/profile/get-two-factor": "two factor, 2fa, totp, authenticator",
  "/reference/token-price/get-prices": "price, get price",
  "/reference/bitcoin/get-s2f": "stock to flow",
  "/docs/changelog": "changes, releases",
  "/docs/clients": "sdk, library, grpc",
  "/docs/limits": "rate limit, rate limits, quota",
  "/docs/agents": "mcp, ai, llm",
};

const operations = OPERATIONS.map(({ path, name, tag, restPath, rpc, description, parameters }) => ({
  id: path,
  title: name,
  part: `${titleOfTag(tag)} reference`,
  kind: "method" as const,
  aliases: ALIASES[path] ?? "",
  words: wordsOf(`${restPath} ${rpc} ${description} ${parameters}`),
}));

const reasons = REASON_PAGES.map(({ path, reason, meaning, whatToDo, httpStatus, code }) => ({
  id: path,
  title: reason,
  part: "Errors",
  kind: "error" as const,
  aliases: REASONS[reason].aliases ?? "",
  words: wordsOf(`${httpStatus} ${code} ${meaning} ${whatToDo}`),
}));

const guides = GUIDES.flatMap(({ path, title, about, html, headings }) => {
  const sections = html.split(/(?=<h[2-6] )/);
  return [
    {
      id: path,
      title,
      part: "Guides",
      kind: BACKGROUND.includes(path) ? ("background-page" as const) : ("guide" as const),
      aliases: ALIASES[path] ?? "",
      words: wordsOf(`${about} ${sections[0] ?? ""}`),
    },
    ...headings
      .filter(({ depth }) => depth <= 3)
      .map(({ id, text }) => ({
        id: `${path}#${id}`,
        title: text,
        part: title,
        kind: BACKGROUND.includes(path) ? ("background" as const) : ("section" as const),
        aliases: "",
        words: wordsOf(sections.find((section) => section.includes(`id="${id}"`)) ?? ""),
      })),
  ];
});

export const SEARCH_ENTRIES: readonly SearchEntry[] = [...operations, ...reasons, ...guides];

// What the application loads before it shows anything: no more than its size limit, and nothing that only the server needs.
import { describe, expect, test } from "vitest";
import { fixedPathOf, ROUTES } from "../../portal/app/routes.ts";
import { portalFiles, portalText } from "../fixtures/portal-site.ts";

const KIB = 1024;
// What the signed-in pages may load; the console is larger than any other.
const PAGE_KIB = 70;
const CONSOLE_KIB = PAGE_KIB + 8.5;

const files = portalFiles();
const assetsOf = (name: string): typeof files => files.filter(({ path }) => new RegExp(`^/assets/${name}-[\\w-]{8}\\.`).test(path));
const sizeOf = (some: typeof files): number => some.reduce((sum, file) => sum + file.bytes.br, 0);
const htmlOf = (path: string): string =>
  files
    .filter((file) => file.path === path)
    .map(portalText)
    .join("");
const namedIn = (html: string): readonly string[] =>
  [...html.matchAll(/ (?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);

describe.each(ROUTES)("The document of $path", (route) => {
  const path = fixedPathOf(route);
  const html = htmlOf(path);
  const named = namedIn(html);

  test("refers only to files that exist, and has nothing inline", () => {
    expect({
      missing: named.filter((name) => !files.some((file) => file.path === name)),
      inline: html.match(/<script(?![^>]* src=)|<style|\sstyle="|\son\w+="|javascript:/g),
      title: /<title>(.*) – Quintet<\/title>/.exec(html)?.[1],
    }).toEqual({ missing: [], inline: null, title: route.title });
  });

  test("loads the page's own script together with the application's", () => {
    const [name = ""] = route.file.split("/").slice(-1);
    const own = assetsOf(name).filter((file) => file.path.endsWith(".js"));
    expect(own.some((file) => html.includes(`<link rel="modulepreload" href="${file.path}"`))).toBe(true);
  });

  const budget = route.file === "Console" ? CONSOLE_KIB : PAGE_KIB;
  test(`loads at most ${budget} KiB`, () => {
    const loaded = files.filter((file) => file.path === path || (named.includes(file.path) && file.type !== "font/woff2"));
    expect(loaded.length).toBeGreaterThanOrEqual(5);
    expect(sizeOf(loaded)).toBeLessThanOrEqual(budget * KIB);
  });
});

describe("The application", () => {
  test("loads at most 25 KiB more for plots, and none of that if no plot is shown", () => {
    const own = assetsOf("chart");
    expect(own.map(({ type }) => type.replace(/;.*/, "")).toSorted()).toEqual(["text/css", "text/javascript"]);
    expect(sizeOf(own)).toBeLessThanOrEqual(25 * KIB);
    const named = new Set(ROUTES.flatMap((route) => namedIn(htmlOf(fixedPathOf(route)))));
    expect(own.filter(({ path }) => named.has(path))).toEqual([]);
  });

  test("loads at most 21.5 KiB more for the console, including its descriptors", () => {
    const own = [...assetsOf("Console"), ...files.filter(({ path }) => ["/console.json", "/console-contract.json"].includes(path))];
    expect(own.length).toBeGreaterThanOrEqual(4);
    expect(sizeOf(own)).toBeLessThanOrEqual(21.5 * KIB);
  });

  test("loads no validation rules and no REST options", () => {
    const named = namedIn(htmlOf("/app"));
    const scripts = files.filter(({ path, type }) => named.includes(path) && type.startsWith("text/javascript")).map(portalText);
    const holds = (text: string): boolean => scripts.some((script) => script.includes(text));
    // Descriptors, none of them in Base64; a REST path, and the file that declares rules.
    expect(["quintet.account.v1", "/account/v1/keys", "buf/validate"].map(holds)).toEqual([true, false, false]);
    expect(scripts.flatMap((script) => script.match(/[A-Za-z0-9+/]{200,}/g) ?? [])).toEqual([]);
  });
});

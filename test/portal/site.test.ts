// The built site: every page is complete, every link works, and no page exceeds its size limit.
import { describe, expect, test } from "vitest";
import { CONSOLE_METHODS } from "../../portal/content/console.ts";
import type { PortalFile } from "../../src/portal/portal-index.ts";
import { REASONS } from "../../src/problem/reason.ts";
import { DOCUMENT } from "../fixtures/openapi-document.ts";
import { portalFiles, portalText } from "../fixtures/portal-site.ts";

// Linked paths outside the built documents: files that the server adds, and pages of the application and of Explore.
const OTHER_PATHS = ["/openapi.json", "/descriptors.binpb", "/protos.zip", "/app/sign-up", "/explore", "/status/feed.atom"];
// URLs of the console: a script reads the method from the path.
const CONSOLE_PATHS = CONSOLE_METHODS.map(({ slug }) => `/app/console/${slug}`);
const KIB = 1024;

const files = portalFiles();
const documents = files
  .filter(({ kind }) => kind === "document")
  .map((file) => ({ file, path: file.path, html: portalText(file) }));
const byPath = new Map(files.map((file) => [file.path, file]));
const idsOf = (html: string): ReadonlySet<string> => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));
const ids = new Map(documents.map(({ path, html }) => [path, idsOf(html)]));

const htmlOf = (path: string): string => documents.find((document) => document.path === path)?.html ?? "";

const attribute = (html: string, name: string): readonly string[] =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value = ""]) => value.replaceAll("&amp;", "&"));

// The files that a browser loads with a page, including the page itself.
const loadedWith = (file: PortalFile, html: string): readonly PortalFile[] => [
  file,
  ...[
    ...attribute(html, "src"),
    ...[...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href = ""]) => href),
  ].flatMap((path) => byPath.get(path) ?? []),
];
const sizeOf = (loaded: readonly PortalFile[]): number => loaded.reduce((sum, { bytes }) => sum + bytes.br, 0);

describe.each(documents)("$path", ({ path, file, html }) => {
  test("has a title, a description, one heading of the first level, and nothing inline", () => {
    expect({
      titles: html.match(/<title>[^<]+<\/title>/g)?.length,
      descriptions: html.match(/<meta name="description" content="[^"]+"/g)?.length,
      headings: html.match(/<h1[ >]/g)?.length,
      inline: html.match(/<script(?![^>]* src=)|<style|\sstyle="|\son\w+="|javascript:/g),
      elsewhere: attribute(html, "src").filter((src) => !src.startsWith("/")),
    }).toEqual({ titles: 1, descriptions: 1, headings: 1, inline: null, elsewhere: [] });
  });

  test("uses each id only once", () => {
    const all = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(all.filter((id, index) => all.indexOf(id) !== index)).toEqual([]);
  });

  test("links only to pages and anchors that exist", () => {
    const dead = attribute(html, "href")
      .filter((href) => !/^(https?|mailto):/.test(href))
      .filter((href) => {
        const [target = "", anchor] = href.replace(/\?[^#]*/, "").split("#");
        const page = target === "" ? path : target;
        const isThere = byPath.has(page) || OTHER_PATHS.includes(page) || CONSOLE_PATHS.includes(page);
        return !isThere || (anchor !== undefined && ids.get(page)?.has(anchor) !== true);
      });
    expect(dead).toEqual([]);
  });

  test("loads the styles of every component in it, and has no backquotes in its metadata", () => {
    const css = loadedWith(file, html)
      .filter(({ type }) => type.startsWith("text/css"))
      .map(portalText)
      .join("");
    const classes = new Set(
      attribute(html, "class").flatMap((names) =>
        names.split(" ").filter((name) => /^[A-Za-z-]+_[a-zA-Z]+$/.test(name) && !name.endsWith("_")),
      ),
    );
    // Only whole class names count: `.Front_services` does not contain the rule for `.Front_service`.
    expect([...classes].filter((name) => !new RegExp(`\\.${name}(?![\\w-])`).test(css))).toEqual([]);
    if (html.includes("<pre")) {
      const kinds = new Set([...html.matchAll(/class="(hljs-[^"]+)"/g)].map(([, kind = ""]) => kind));
      expect([...kinds].filter((kind) => !css.includes(`.${kind}`))).toEqual([]);
      expect(css).toContain(".copyable");
    }
    expect(attribute(html, "content").filter((text) => text.includes("`"))).toEqual([]);
  });

  test("loads at most 30 KiB, and at most 3.7 KiB of styles and 2.1 KiB of script", () => {
    const loaded = loadedWith(file, html);
    const scripts = loaded.filter(({ type }) => type.startsWith("text/javascript"));
    expect(loaded.length).toBeGreaterThanOrEqual(4);
    expect(sizeOf(loaded)).toBeLessThanOrEqual(30 * KIB);
    const styles = loaded.filter(({ type }) => type.startsWith("text/css"));
    expect(sizeOf(styles)).toBeLessThanOrEqual(3.7 * KIB);
    expect(sizeOf(scripts)).toBeLessThanOrEqual(2.1 * KIB);
  });
});

// Limits in KiB for a page with everything that a browser loads for it, except the font. Those of `/`, `/plans` and `/docs/limits`
// are what these pages weighed on 23 November 2026 (bench/pages.md). The list of languages added 0.2 KiB to those with samples.
test.each([
  { path: "/", kib: 8.6 },
  { path: "/plans", kib: 6.17 },
  { path: "/docs/quickstart", kib: 11.4 },
  { path: "/docs/limits", kib: 9.66 },
  { path: "/reference/radio/search-stations", kib: 16.2 },
  { path: "/errors/QUOTA_EXCEEDED", kib: 6.8 },
  { path: "/status", kib: 5.25 },
])("$path loads at most $kib KiB", ({ path, kib }) => {
  const file = byPath.get(path);
  expect(file && sizeOf(loadedWith(file, htmlOf(path)))).toBeLessThanOrEqual(kib * KIB);
});

test("the list of guides next to a guide has each guide once", () => {
  const nav = /<nav aria-label="Docs">.*?<\/nav>/s.exec(htmlOf("/docs/limits"))?.[0] ?? "";
  const links = attribute(nav, "href");
  expect({ some: links.length > 10, twice: links.filter((href, index) => links.indexOf(href) !== index) }).toEqual({
    some: true,
    twice: [],
  });
});

test("the index of the guides contains no Markdown syntax", () => {
  const [main = ""] = /<main.*<\/main>/s.exec(htmlOf("/docs")) ?? [];
  expect(main.length).toBeGreaterThan(1000);
  expect(main).not.toContain("`");
});

test("every reason and every operation has a page", () => {
  const paths = documents.map(({ path }) => path);
  const operations = Object.values(DOCUMENT.paths).flatMap((verbs) =>
    Object.entries(verbs as Record<string, { readonly operationId: string }>)
      .filter(([verb, { operationId }]) => !operationId.endsWith(`_${verb}`))
      .map(([, { operationId }]) => operationId),
  );
  expect(paths.filter((path) => path.startsWith("/errors/")).toSorted()).toEqual(
    Object.keys(REASONS)
      .map((reason) => `/errors/${reason}`)
      .toSorted(),
  );
  expect(paths.filter((path) => path.startsWith("/reference/"))).toHaveLength(operations.length);
});

test("the page of every operation that needs a key links to the console, and no other page does", () => {
  const opened = documents
    .filter(({ path }) => path.startsWith("/reference/"))
    .flatMap(({ path, html }) =>
      attribute(html, "href")
        .filter((href) => href.startsWith("/app/console"))
        .map((href) => [path, href]),
    );
  expect(opened.toSorted()).toEqual(CONSOLE_METHODS.map(({ slug }) => [`/reference/${slug}`, `/app/console/${slug}`]).toSorted());
});

test("the search finds only pages and anchors that exist", () => {
  const index = byPath.get("/search.json");
  const entries = JSON.parse(index === undefined ? "[]" : portalText(index)) as readonly { readonly id: string }[];
  const dead = entries.filter(({ id }) => {
    const [page = "", anchor] = id.split("#");
    return !byPath.has(page) || (anchor !== undefined && ids.get(page)?.has(anchor) !== true);
  });
  expect({ dead, many: entries.length > 200, distinct: new Set(entries.map(({ id }) => id)).size === entries.length }).toEqual({
    dead: [],
    many: true,
    distinct: true,
  });
});

test("every page of the site and of the application preloads the one font, of at most 40 KiB", () => {
  const fonts = files.filter(({ type }) => type === "font/woff2");
  expect(fonts.map(({ bytes }) => bytes.identity <= 40 * KIB)).toEqual([true]);
  const preload = `<link rel="preload" href="${fonts[0]?.path}" as="font" type="font/woff2" crossorigin="anonymous"/>`;
  const pages = files.filter(
    ({ type, path }) => type.startsWith("text/html") && !portalText(byPath.get(path) as PortalFile).includes(preload),
  );
  expect(pages.map(({ path }) => path)).toEqual([]);
});

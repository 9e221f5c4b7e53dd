// What the documents of Explore load: no more than their size limit, and the map only where it is shown. Plots are loaded later; their size
// is checked with the application's.
import { describe, expect, test } from "vitest";
import { EXPLORE_PAGES } from "../../../portal/content/explore-pages.ts";
import { portalFiles, portalText } from "../../fixtures/portal-site.ts";

const KIB = 1024;
// What a page of the application loads; a page of Explore also has the site's header.
const SIGNED_IN_KIB = 90;
const BUDGETS_KIB = {
  stations: SIGNED_IN_KIB + 60,
  tokens: SIGNED_IN_KIB,
  bitcoin: SIGNED_IN_KIB,
  farkle: SIGNED_IN_KIB,
};

const files = portalFiles();

describe.each(EXPLORE_PAGES)("$path", ({ path, script, title, lead }) => {
  const html = files
    .filter((file) => file.path === path)
    .map(portalText)
    .join("");
  const named = [...html.matchAll(/ (?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name = ""]) => name);
  const loaded = files.filter((file) => file.path === path || named.includes(file.path));

  test("describes its content before any script runs, and has nothing inline", () => {
    expect({
      shown: [`<h1>${title}</h1>`, lead.slice(0, 20)].map((part) => html.includes(part)),
      headings: html.match(/<h1[ >]/g)?.length,
      missing: named.filter((name) => !files.some((file) => file.path === name)),
      inline: html.match(/<script(?![^>]* src=)|<style|\sstyle="|\son\w+="|javascript:/g),
    }).toEqual({ shown: [true, true], headings: 1, missing: [], inline: null });
  });

  test(`loads at most ${BUDGETS_KIB[script]} KiB`, () => {
    const bytes = loaded.filter(({ type }) => type !== "font/woff2").reduce((sum, file) => sum + file.bytes.br, 0);
    expect(loaded.length).toBeGreaterThanOrEqual(6);
    expect(bytes).toBeLessThanOrEqual(BUDGETS_KIB[script] * KIB);
  });
});

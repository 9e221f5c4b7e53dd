// The pages that an operator fills in with settings, in HTML and in Markdown.
import { expect, test } from "vitest";
import type { OperatorConfig } from "../../src/config/operator.ts";
import { fillPlaceholders, PAGES_WITH_PLACEHOLDERS } from "../../src/portal/portal.ts";
import { portalFiles, portalText } from "../fixtures/portal-site.ts";

const ALL: OperatorConfig = {
  name: "Example Ltd",
  address: "1 Main Street",
  supportContact: "help@example.com",
  governingLaw: "Ireland",
};
const files = portalFiles().filter(({ path }) => PAGES_WITH_PLACEHOLDERS.has(path.replace(/\.md$/, "")));
const pages = files.map((file) => [file.path, portalText(file)] as const);
const templates = pages.filter(([path]) => !path.startsWith("/docs/support"));

test.each(templates)("%s says nothing to customers that is meant for operators, whatever they have set", (path, text) => {
  expect(text).toContain("This is a template.");
  for (const setting of ["name", "address", "supportContact", "governingLaw"]) {
    const filled = fillPlaceholders(text, { ...ALL, [setting]: undefined }, String);
    expect(filled).not.toMatch(/template|square brackets|QUINTET_|not set|\[(?:operator|support|governing)/);
  }
  const none: OperatorConfig = { name: undefined, address: undefined, supportContact: undefined, governingLaw: undefined };
  const unset = path.startsWith("/docs/terms") ? "country in which the operator is established" : "not published here";
  expect(fillPlaceholders(text, none, String)).toContain(unset);
});

test.each(pages)("%s keeps everything else", (path, text) => {
  const filled = fillPlaceholders(text, ALL, String);
  expect(filled).toContain("help@example.com");
  expect(filled).not.toMatch(/\[(?:operator|support|governing)|not set by/);
  const parts = (page: string): number => page.split(path.endsWith(".md") ? /\n\n+/ : "<p>").length;
  expect(parts(filled)).toBe(parts(text) - (text.includes("This is a template.") ? 1 : 0));
});

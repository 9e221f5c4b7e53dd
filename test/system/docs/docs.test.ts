// README.md and docs/ are true and complete: their tables match the program, their links lead somewhere, and the paths, commands, variables
// and files that they name exist. The output of their examples is tested next to this file.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { pages, readPage, wholeProgram, withTables } from "../../../scripts/docs/tables.ts";
import { compileRoutes } from "../../../src/gateway/rest/routes.ts";
import { REASONS } from "../../../src/problem/reason.ts";
import { variableDocs } from "../../../src/server-config.ts";
import { ACCOUNT_SERVICES, DATA_METHODS, OPERATOR_SERVICES } from "../../fixtures/data-services.ts";
import { ROOT } from "../../fixtures/root.ts";
import { examplesOf } from "./examples.ts";
import { headingsOf, linkFault, linksOf } from "./links.ts";

const PAGES = pages().map((path) => ({ path, page: readPage(path) }));
// The changelog also names what no longer exists.
const ALL = PAGES.filter(({ path }) => path !== "CHANGELOG.md")
  .map(({ page }) => page)
  .join("\n");
const SERVICE_PAGES = PAGES.filter(({ path }) => path.startsWith("docs/services/"))
  .map(({ page }) => page)
  .join("\n");
const FOR_CALLERS =
  ["README.md", "docs/rest.md", "docs/clients.md", "docs/errors.md", "docs/limits.md", "docs/accounts.md"]
    .map(readPage)
    .join("\n") + SERVICE_PAGES;

const found = (pattern: RegExp): string[] => [...new Set(Array.from(ALL.matchAll(pattern), ([all, group]) => group ?? all))];

test.each(PAGES)("the tables of $path are up to date", ({ page }) => {
  expect(withTables(page)).toBe(page);
});

test("the README is short", () => {
  expect(readPage("README.md").split(/\s+/).length).toBeLessThanOrEqual(500);
});

test("each page for operators covers one subject, with few words outside its tables", () => {
  const wordsOf = (page: string): number => page.replaceAll(/^\|.*$/gm, "").split(/\s+/).length;
  const long = PAGES.filter(({ path, page }) => /^docs\/operate[./]/.test(path) && wordsOf(page) > 1000);
  expect(long.map(({ path }) => path)).toEqual([]);
});

describe("links", () => {
  const linking = [
    ...PAGES,
    ...["results", "guard", "services"].map((name) => ({ path: `bench/${name}.md`, page: readPage(`bench/${name}.md`) })),
    ...["", "browser/", "go/", "java/", "python/", "rust/", "shell/", "typescript/"].map((folder) => ({
      path: `examples/${folder}README.md`,
      page: readPage(`examples/${folder}README.md`),
    })),
  ];

  test.each(linking)("of $path lead to files and headings that exist", ({ path, page }) => {
    const faults = linksOf(page).map((target) => ({ target, fault: linkFault(path, target) }));
    expect(faults.filter(({ fault }) => fault !== undefined)).toEqual([]);
  });

  test.each(PAGES)("to any heading of $path are unambiguous, because no two headings are equal", ({ page }) => {
    const headings = headingsOf(page);
    expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
  });

  test("lead from the index to every page", () => {
    const linked = new Set(linksOf(readPage("docs/README.md")).map((target) => join("docs", target)));
    expect(pages().filter((path) => path.startsWith("docs/") && path !== "docs/README.md" && !linked.has(path))).toEqual([]);
  });

  test("in code and comments lead to pages and headings that exist", () => {
    const files = execFileSync("git", ["ls-files", "src", "packages", "scripts", "proto", "test", ".ci"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    const faults = files
      .split("\n")
      .filter((file) => file !== "" && existsSync(join(ROOT, file)))
      .flatMap((file) =>
        Array.from(
          readFileSync(join(ROOT, file), "utf8").matchAll(/(?<![\w/.])(?:README|CONTRIBUTING|docs\/[\w/-]+)\.md(?:#[\w-]+)?/g),
          ([target]) => ({ file, target, fault: linkFault("README.md", target) }),
        ),
      );
    expect(faults.filter(({ fault }) => fault !== undefined)).toEqual([]);
  });
});

describe("everything that they name exists:", () => {
  test("paths and RPCs", () => {
    const ofSessions = [...ACCOUNT_SERVICES, ...OPERATOR_SERVICES].flatMap((service) => service.methods);
    const methods = [...DATA_METHODS.map(({ desc }) => desc), ...ofSessions];
    const rows = [DATA_METHODS.map(({ desc }) => desc), ofSessions].flatMap((served) => compileRoutes(served).rows);
    const templates = rows.map(({ template }) => template);
    // A path is given as in the proto, or with values in place of its variables.
    const isServed = (path: string): boolean =>
      templates.some((template) => template === path || new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/{]+")}$`).test(path));
    const rpcs = new Set(methods.map(({ parent, name }) => `${parent.typeName}/${name}`));
    const named = found(/(?<=[ 0]|`)\/[a-z-]+\/v1\/[a-z-]+(?:\/(?:\{\w+\}|[a-z-]+))*(?![\w/$-])/g);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !isServed(path))).toEqual([]);
    expect(found(/quintet\.\w+\.v1\.\w+\/\w+/g).filter((rpc) => !rpcs.has(rpc))).toEqual([]);
  });

  test("variables, scripts and files", () => {
    const variables = new Set(variableDocs().map(({ name }) => name));
    // Variables that no server reads: those of the tests, and those of the programs in examples/.
    const ofOthers = ["QUINTET_LIMITS_SEEDS", "QUINTET_LIMITS_SEED", "QUINTET_BROWSER_SLOWDOWN", "QUINTET_KEY", "QUINTET_URL"];
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(found(/QUINTET_[A-Z_]*[A-Z]/g).filter((name) => !variables.has(name) && !ofOthers.includes(name))).toEqual([]);
    expect(["start", "test", ...found(/npm run (?:-s )?([\w:]+)/g)].filter((name) => !(name in scripts))).toEqual([]);
    const files = found(/`((?:bench|docs|gen|packages|plans|proto|scripts|src|test)\/[\w./-]*)`/g);
    expect(files.length).toBeGreaterThan(5);
    const sources = found(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|js))`/g).filter((path) => !files.includes(path));
    // What is in src/, or in the src/ of a package, is named without it.
    const places = (path: string) => [path, join("src", path), join("packages", path.replace("/", "/src/"))];
    expect(sources.filter((path) => !places(path).some((place) => existsSync(join(ROOT, place))))).toEqual([]);
    expect(files.filter((path) => !path.includes("NAME") && !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test("reasons", () => {
    // Words of other programs that look like ours.
    const codes = ["RESOURCE_EXHAUSTED", "PERMISSION_DENIED"];
    const words = Array.from(FOR_CALLERS.matchAll(/`((?:[A-Z]{3,}_)+[A-Z]+)`/g), ([, word = ""]) => word);
    const strange = words.filter(
      (word) => !(word in REASONS) && !codes.includes(word) && !/^QUINTET_|_STATE_|^COMBINATION_|^BRIDGE_/.test(word),
    );
    expect(words.length).toBeGreaterThan(30);
    expect([...new Set(strange)]).toEqual([]);
  });

  // The words of a command line that are not commands or options of the program.
  function unknownWords(program: Command, words: readonly string[]): readonly string[] {
    const [first = "", ...rest] = words;
    const command = program.commands.find((candidate) => candidate.name() === first);
    if (command !== undefined) {
      return unknownWords(command, rest);
    }
    const options = words.filter((word) => word.startsWith("--"));
    const isKnown = (word: string): boolean => program.options.some(({ long }) => long === word);
    return program.commands.length > 0 ? [first] : options.filter((word) => !isKnown(word));
  }

  test("commands, with their options", () => {
    const program = wholeProgram();
    const lines = found(/npm run (?:-s )?quintet -- ([^#`\n|)]*)/g).map((line) => line.trim());
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.flatMap((line) => unknownWords(program, line.split(" ")))).toEqual([]);
  });
});

describe("everything that exists is documented:", () => {
  test.each(DATA_METHODS)("$path in the table of its service, with a call over REST", ({ path, desc }) => {
    const calls = examplesOf(SERVICE_PAGES).map(({ text }) => text);
    const template = compileRoutes([desc]).rows[0]?.template ?? "";
    expect({
      row: SERVICE_PAGES.includes(`| \`${path.slice(1)}\` |`),
      restCall: calls.some((call) => new RegExp(`:8080${template}(?=[?'])`).test(call)),
    }).toEqual({ row: true, restCall: true });
  });

  // The page's table names the RPC of each of the others, which are called in the same way.
  test.each([...new Set(DATA_METHODS.map(({ desc }) => desc.parent.typeName))])("how to call an RPC of %s", (service) => {
    const calls = examplesOf(SERVICE_PAGES).map(({ text }) => text);
    expect(calls.some((call) => call.includes(`:8080/${service}/`))).toBe(true);
  });

  const rowsOf = (path: string): readonly string[] =>
    Array.from(readPage(path).matchAll(/^\| `([^`]+)`/gm), ([, first = ""]) => first);

  test("every reason, once", () => {
    const reasons = rowsOf("docs/errors.md").filter((word) => word in REASONS);
    expect(reasons.toSorted()).toEqual(Object.keys(REASONS).toSorted());
  });

  test("every setting, once", () => {
    const settings = rowsOf("docs/operate/settings.md").filter((word) => /^(?:QUINTET_|OTEL_|(?:HTTPS?|NO)_PROXY$)/.test(word));
    expect(settings.toSorted()).toEqual(
      variableDocs()
        .map(({ name }) => name)
        .toSorted(),
    );
  });
});

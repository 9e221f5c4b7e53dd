// A release: what keeps a tag from being published, and whether the files of the forge name only what exists.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ReleaseFiles, releaseFaults } from "../scripts/release/release-faults.ts";
import { ROOT } from "./fixtures/root.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const FILES: ReleaseFiles = {
  packageJson: '{ "version": "1.2.3" }',
  packages: { "packages/http/package.json": '{ "version": "1.2.3" }' },
  packageLock: '{ "version": "1.2.3" }',
  chart: "apiVersion: v2\nversion: 1.2.3\nappVersion: 1.2.3\n",
  changelog: "# Changelog\n\n## 1.2.3 – 2026-12-01\n\n## 1.2.2 – 2026-11-01\n",
};

describe("a tag", () => {
  const sectionFault = (found: string): string =>
    `The top section of CHANGELOG.md is "${found}"; it must look like "1.2.3 – 2026-12-01".`;

  test.for<{ case: string; tag?: string; files?: Partial<ReleaseFiles>; faults: readonly string[] }>([
    { case: "that all files agree with may be released", faults: [] },
    { case: "without its v", tag: "1.2.3", faults: ['The tag is "1.2.3"; it must look like v0.1.0.'] },
    { case: "that is missing", tag: "", faults: ['The tag is ""; it must look like v0.1.0.'] },
    {
      case: "that package.json does not agree with",
      files: { packageJson: '{ "version": "1.2.2" }' },
      faults: ["version in package.json is 1.2.2, not 1.2.3."],
    },
    {
      case: "that a package does not agree with",
      files: { packages: { "packages/http/package.json": '{ "version": "1.2.2" }' } },
      faults: ["version in packages/http/package.json is 1.2.2, not 1.2.3."],
    },
    {
      case: "that the lock does not agree with",
      files: { packageLock: '{ "version": "1.2.2" }' },
      faults: ["version in package-lock.json is 1.2.2, not 1.2.3."],
    },
    {
      case: "that the chart does not agree with",
      files: { chart: "version: 1.2.4\n" },
      faults: ["version in Chart.yaml is 1.2.4, not 1.2.3.", "appVersion in Chart.yaml is undefined, not 1.2.3."],
    },
    {
      case: "whose section of the changelog is not released",
      files: { changelog: "## 1.2.3, not released yet\n" },
      faults: [sectionFault("1.2.3, not released yet")],
    },
    {
      case: "whose section of the changelog is not the top one",
      files: { changelog: "## 1.3.0 – 2026-12-02\n## 1.2.3 – 2026-12-01\n" },
      faults: [sectionFault("1.3.0 – 2026-12-02")],
    },
  ])("$case", ({ tag = "v1.2.3", files, faults }) => {
    expect(releaseFaults(tag, { ...FILES, ...files })).toEqual(faults);
  });

  test("of the current version lacks only its date in the changelog", () => {
    const { version } = JSON.parse(read("package.json"));
    const files = {
      packageJson: read("package.json"),
      packages: Object.fromEntries(globSync("packages/*/package.json", { cwd: ROOT }).map((path) => [path, read(path)])),
      packageLock: read("package-lock.json"),
      chart: read("deploy/helm/quintet/Chart.yaml"),
      changelog: read("CHANGELOG.md"),
    };
    const faults = releaseFaults(`v${version}`, files);
    expect(faults.filter((fault) => !fault.startsWith("The top section of CHANGELOG.md"))).toEqual([]);
  });
});

describe("the forge's files", () => {
  const workflows = globSync(".github/workflows/*.yml", { cwd: ROOT }).map(read).join("\n");

  test("run only scripts of package.json", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const named = [...`${workflows}${read(".github/pull_request_template.md")}`.matchAll(/npm run ([\w:]+)/g)].map(
      ([, name]) => name ?? "",
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test.each([".github/workflows/gate.yml", ".github/workflows/release.yml", "RELEASING.md", "SECURITY.md"])(
    "%s names only files that exist",
    (file) => {
      const paths = [...read(file).matchAll(/(?<![\w/])(?:\.ci|\.github|deploy|scripts|docs)\/[\w./-]*\w/g)].map(([path]) => path);
      expect(paths.length).toBeGreaterThan(0);
      expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    },
  );

  test("look for updates in every folder that has dependencies", () => {
    const update = read(".github/dependabot.yml");
    const folders = globSync(
      "{bench,clients,examples,test,deploy}/**/{go.mod,Cargo.toml,pom.xml,requirements.txt,Dockerfile,compose.yaml}",
      {
        cwd: ROOT,
        exclude: ["**/node_modules"],
      },
    ).map((path) => `/${path.slice(0, path.lastIndexOf("/"))}`);
    const named = [...update.matchAll(/\/[\w/*-]+/g)].map(([name]) => new RegExp(`^${name.replaceAll("*", "[^/]+(?:/[^/]+)*")}$`));
    expect(folders.length).toBeGreaterThan(5);
    expect(folders.filter((folder) => !named.some((pattern) => pattern.test(folder)))).toEqual([]);
  });

  test("have addresses only where RELEASING.md says that they are placeholders", () => {
    const files = [...globSync(".github/**/*.{yml,md}", { cwd: ROOT }), "SECURITY.md", "RELEASING.md"];
    const addresses = files.flatMap((file) =>
      (read(file).match(/[\w.-]+\.example\b|@example\b/g) ?? []).map((found) => `${file}: ${found}`),
    );
    expect(addresses).toEqual([]);
    expect(read(".github/release.env")).toMatch(/^IMAGE=registry\.example\//m);
  });
});

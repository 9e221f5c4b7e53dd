// The architecture check finds every kind of violation. `npm run check` runs it over the sources.
import { describe, expect, test } from "vitest";
import { type Imports, importsOf, moduleOf } from "../scripts/architecture/imports.ts";
import { interfaceFaults } from "../scripts/architecture/interfaces.ts";
import { architectureFaults, type Diagram, readDiagrams } from "../scripts/architecture/rules.ts";

const DIAGRAMS = readDiagrams(
  [
    "# Modules",
    "```mermaid",
    "flowchart TD",
    "  %% src",
    "  main[main.ts]",
    "  guard[guard]",
    "  store[store]",
    "  subgraph foundation[for all above]",
    "    runtime[runtime]",
    "  end",
    "  main --> guard & store",
    "  guard --> store",
    "```",
    "```mermaid",
    "sequenceDiagram",
    "  caller->>guard: a key",
    "```",
    "Inside the guard:",
    "```mermaid",
    "flowchart TD",
    "  %% src/guard",
    "  guard[guard itself]",
    "  keys[keys]",
    "  rate[rate]",
    "  guard --> keys & rate",
    "```",
  ].join("\n"),
);

const SOUND: Readonly<Record<string, readonly string[]>> = {
  "src/main.ts": ["src/guard/guard.ts", "src/store/store.ts"],
  "src/guard/guard.ts": ["src/guard/keys/key.ts", "src/guard/rate/bucket.ts", "gen/quintet/account/v1/account_pb.js"],
  "src/guard/keys/key.ts": [],
  "src/guard/rate/bucket.ts": ["src/store/store.ts"],
  "src/store/store.ts": ["src/runtime/clock.ts"],
  "src/runtime/clock.ts": [],
};

const faultsOf = (planted: Readonly<Record<string, readonly string[]>>, diagrams = DIAGRAMS): readonly string[] =>
  architectureFaults(new Map(Object.entries({ ...SOUND, ...planted })) as Imports, diagrams);

describe("the architecture check", () => {
  test("reads modules and arrows from the diagrams", () => {
    expect(DIAGRAMS).toEqual([
      {
        folder: "src",
        layers: ["main", "guard", "store", "runtime"],
        foundation: new Set(["runtime"]),
        arrows: new Set(["main --> guard", "main --> store", "guard --> store"]),
      },
      {
        folder: "src/guard",
        layers: ["guard", "keys", "rate"],
        foundation: new Set(),
        arrows: new Set(["guard --> keys", "guard --> rate"]),
      },
    ]);
  });

  test("requires a diagram of src", () => {
    expect(() => readDiagrams("```mermaid\nflowchart TD\n  %% src/guard\n```")).toThrow(
      "There is no Mermaid diagram of src in the text.",
    );
  });

  test("finds nothing if the imports match the diagrams", () => {
    expect(faultsOf({})).toEqual([]);
  });

  test.each([
    [
      "an arrow that is not drawn",
      { "src/store/store.ts": ["src/main.ts", "src/runtime/clock.ts"] },
      [
        "src/store/store.ts imports src/main.ts: docs/architecture.md draws no arrow store --> main.",
        "Files import each other in a circle: src/main.ts → src/guard/guard.ts → src/guard/rate/bucket.ts → src/store/store.ts → src/main.ts.",
      ],
    ],
    [
      "an arrow up from the foundation",
      { "src/runtime/clock.ts": ["src/store/records.ts"], "src/store/records.ts": [] },
      ["src/runtime/clock.ts imports src/store/records.ts: docs/architecture.md draws no arrow runtime --> store."],
    ],
    [
      "an import cycle inside a module",
      {
        "src/guard/rate/bucket.ts": ["src/guard/rate/share.ts", "src/store/store.ts"],
        "src/guard/rate/share.ts": ["src/guard/rate/bucket.ts"],
      },
      ["Files import each other in a circle: src/guard/rate/bucket.ts → src/guard/rate/share.ts → src/guard/rate/bucket.ts."],
    ],
    [
      "an inner module that imports from the module around it",
      { "src/guard/rate/bucket.ts": ["src/guard/problems.ts", "src/store/store.ts"], "src/guard/problems.ts": [] },
      ["src/guard/rate/bucket.ts imports src/guard/problems.ts: docs/architecture.md draws no arrow rate --> guard."],
    ],
    [
      "an inner module that imports another one",
      { "src/guard/keys/key.ts": ["src/guard/rate/bucket.ts"] },
      ["src/guard/keys/key.ts imports src/guard/rate/bucket.ts: docs/architecture.md draws no arrow keys --> rate."],
    ],
    [
      "an inner module that is not drawn",
      { "src/guard/keys/key.ts": ["src/guard/cellar/wine.ts"], "src/guard/cellar/wine.ts": [] },
      ["src/guard/keys/key.ts imports src/guard/cellar/wine.ts: docs/architecture.md draws no arrow keys --> cellar."],
    ],
    [
      "a test in the product",
      { "src/main.ts": ["src/guard/guard.ts", "src/store/store.ts", "test/fixtures/manual-clock.ts"] },
      ["src/main.ts imports test/fixtures/manual-clock.ts: src/ imports nothing outside of src/, gen/, packages/."],
    ],
    [
      "a test in the portal, and a benchmark in a script",
      { "portal/site.tsx": ["test/browser/chromium.ts"], "scripts/check.ts": ["bench/run.ts", "src/main.ts"] },
      [
        "portal/site.tsx imports test/browser/chromium.ts: portal/ imports nothing outside of portal/, scripts/, src/, gen/.",
        "scripts/check.ts imports bench/run.ts: scripts/ imports nothing outside of scripts/, src/, gen/, packages/.",
      ],
    ],
    [
      "the product in a package, and a file inside a package in the product",
      {
        "packages/http/src/index.ts": ["src/runtime/clock.ts"],
        "src/main.ts": ["src/guard/guard.ts", "src/store/store.ts", "packages/http/src/limits.ts"],
      },
      [
        "src/main.ts imports packages/http/src/limits.ts: import the package by its name.",
        "packages/http/src/index.ts imports src/runtime/clock.ts: packages/ imports nothing outside of packages/.",
        "src/main.ts imports packages/http/src/limits.ts: docs/architecture.md draws no arrow main --> packages-http.",
      ],
    ],
    [
      "an import cycle of scripts",
      { "scripts/openapi/schema.ts": ["scripts/openapi/values.ts"], "scripts/openapi/values.ts": ["scripts/openapi/schema.ts"] },
      ["Files import each other in a circle: scripts/openapi/schema.ts → scripts/openapi/values.ts → scripts/openapi/schema.ts."],
    ],
    [
      "an arrow that no import uses",
      { "src/main.ts": ["src/guard/guard.ts"] },
      ["docs/architecture.md draws main --> store, but no file imports that way."],
    ],
  ])("finds %s", (_, planted, faults) => {
    expect(faultsOf(planted)).toEqual(faults);
  });

  test("lets a module with an arrow into the foundation import only what its arrows name", () => {
    const [sound] = DIAGRAMS as [Diagram];
    const diagram = {
      ...sound,
      layers: ["main", "guard", "store", "problem", "runtime"],
      foundation: new Set(["problem", "runtime"]),
      arrows: new Set([...sound.arrows, "store --> runtime"]),
    };
    const uses = ["src/problem/problem.ts", "src/runtime/clock.ts"];
    const planted = {
      "src/main.ts": [...uses, "src/guard/guard.ts", "src/store/store.ts"],
      "src/store/store.ts": uses,
      "src/problem/problem.ts": [],
    };
    expect(faultsOf(planted, [diagram])).toEqual([
      "src/store/store.ts imports src/problem/problem.ts: docs/architecture.md draws no arrow store --> problem.",
    ]);
  });

  test("finds an arrow that points up, and a module that is not declared", () => {
    const [diagram] = DIAGRAMS as [Diagram];
    const faulty = {
      ...diagram,
      layers: ["main", "store", "guard", "runtime"],
      arrows: new Set([...diagram.arrows, "guard --> cellar"]),
    };
    expect(faultsOf({}, [faulty])).toEqual([
      "docs/architecture.md draws guard --> store, which points up.",
      "docs/architecture.md draws guard --> cellar, but declares no module cellar.",
      "docs/architecture.md draws guard --> cellar, but no file imports that way.",
    ]);
  });

  test.each([
    ['import { a } from "./b.ts";', ["src/guard/b.ts"]],
    ['import type { A } from "../store/b.ts";', ["src/store/b.ts"]],
    ['export { a } from "../../gen/b.js";', ["gen/b.js"]],
    ['import "./b.ts";', ["src/guard/b.ts"]],
    ['const { a } = await import("./b.ts");', ["src/guard/b.ts"]],
    ['import { readFileSync } from "node:fs";', []],
  ])("reads %s", (source, imports) => {
    expect(importsOf("src/guard/a.ts", source)).toEqual(imports);
  });

  test.each([
    ["src/main.ts", "src", "main"],
    ["src/guard/guard.ts", "src", "guard"],
    ["src/guard/rate/bucket.ts", "src", "guard"],
    ["src/guard/guard.ts", "src/guard", "guard"],
    ["src/guard/limits.ts", "src/guard", "guard"],
    ["src/guard/rate/bucket.ts", "src/guard", "rate"],
    ["src/guard/rate/redis/keys.ts", "src/guard", "rate"],
  ])("knows the module of %s in the diagram of %s", (path, folder, module) => {
    expect(moduleOf(path, folder)).toBe(module);
  });
});

describe("the rules for interfaces", () => {
  const faultsOf = (sources: Readonly<Record<string, string>>): readonly string[] =>
    interfaceFaults(new Map(Object.entries(sources)));

  test("the arguments of a function have one suffix", () => {
    expect(faultsOf({ "src/a.ts": "interface MailDeps {\n}\nexport type MailSettings = MailDeps;" })).toEqual([
      "src/a.ts declares MailDeps: the arguments of a function are its Options.",
      "src/a.ts declares MailSettings: the arguments of a function are its Options.",
    ]);
    expect(faultsOf({ "src/a.ts": "interface MailOptions {\n}", "src/config/a.ts": "export interface MailConfig {\n}" })).toEqual(
      [],
    );
  });

  test("they are exported only if another file names them, even if that is a test", () => {
    const exported = { "src/a.ts": "export interface MailOptions {\n}" };
    expect(faultsOf(exported)).toEqual(["src/a.ts exports MailOptions, which no other file names."]);
    expect(faultsOf({ ...exported, "test/a.test.ts": "const options: MailOptions = {};" })).toEqual([]);
  });

  test("no class implements an interface of its own file alone", () => {
    const alone = { "src/a.ts": "export interface Queue {\n}\nexport class FairQueue implements Queue {\n}" };
    expect(faultsOf(alone)).toEqual(["src/a.ts declares Queue for its class FairQueue alone: write only the class."]);
    expect(faultsOf({ ...alone, "src/b.ts": "export class OtherQueue implements Queue {\n}" })).toEqual([]);
    expect(faultsOf({ ...alone, "test/a.test.ts": "const queue: Queue = { add() {} };" })).toEqual([]);
    expect(faultsOf({ "src/a.ts": `${alone["src/a.ts"]}\nclass Stack implements Queue {\n}` })).toEqual([]);
  });
});

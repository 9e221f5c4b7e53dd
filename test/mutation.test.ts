// The faults that `npm run mutate` puts into sources, and the probes that `npm run probe` puts into tests.
import { stripTypeScriptTypes } from "node:module";
import { describe, expect, test } from "vitest";
import { probeAssertions } from "../scripts/mutation/assertions.ts";
import { mutate } from "../scripts/mutation/mutants.ts";
import { RelatedTests } from "../scripts/mutation/related.ts";

/** What the function in a source returns for these values, with each of its faults in turn. */
function results(source: string, values: readonly unknown[]): readonly (readonly [fault: string, result: unknown])[] {
  const { mutants, text } = mutate("some.ts", source, 5);
  return mutants.map(({ id, kind }) => {
    const make = new Function("globalThis", `${stripTypeScriptTypes(text)}; return made;`);
    const created = make({ isMutant: (requested: number) => requested === id }) as (...given: unknown[]) => unknown;
    return [kind, created(...structuredClone(values))];
  });
}

describe("a source gets", () => {
  test.for<[source: string, values: readonly unknown[], faults: ReturnType<typeof results>]>([
    [
      "(a: number, b: number): boolean => a < b",
      [2, 2],
      [
        ["<= for <", true],
        ["no value", undefined],
      ],
    ],
    [
      "function (a?: number): number { if (a === undefined) { return 0; } return a + 1; }",
      [1],
      [
        ["an empty body", undefined],
        ["true for a condition", 0],
        ["false for a condition", 2],
        ["no value", 2],
        ["one more", 2],
        ["no value", undefined],
        ["- for +", 0],
        ["one more", 3],
      ],
    ],
    [
      "function (list: number[]): number[] { list.push(3 as number); return list ?? []; }",
      [[]],
      [
        ["an empty body", undefined],
        ["a statement less", []],
        ["one more", [4]],
        ["no value", undefined],
        ["nothing for ??", [3]],
      ],
    ],
    [
      "(a: { isOpen?: boolean }): boolean => (a.isOpen ?? true) && !false",
      [{ isOpen: false }],
      [
        ["|| for &&", true],
        ["no value", undefined],
        ["nothing for ??", false],
        ["the other boolean", false],
        ["the other boolean", false],
      ],
    ],
  ])("faults in its expressions and statements: %s", ([source, values, faults]) => {
    expect(results(`const made = ${source}`, values)).toEqual(faults);
  });

  test("none in imports, types, names of properties, and calls of super in a constructor", () => {
    const source =
      'import { a } from "./a.ts";\ntype B = "b" | 3;\nclass C extends a {\n  constructor() {\n    super();\n  }\n}\nexport { C as "c" };';
    expect(mutate("some.ts", source, 0)).toEqual({ mutants: [], text: source });
  });

  test("the line of each fault", () => {
    expect(mutate("some.ts", "let a;\n\na = {\n  b: f,\n};", 7).mutants).toEqual([
      { id: 7, path: "some.ts", line: 3, kind: "a statement less", original: "a = { b: f, };" },
    ]);
  });
});

test("a test's assertions are found, including those that nothing waits for", () => {
  const source = [
    "expect(a).toBe(1);",
    "expect(b()).rejects.toThrow();",
    "await expect(b()).rejects.toThrow();",
    "expect(list.every((one) => one > 0)).toBe(true);",
    "expect.poll(() => c).toBe(1);",
  ].join("\n");
  const probed = probeAssertions("a.test.ts", source, 3);
  expect(
    probed.assertions.map(({ id, line, text, isUnawaited, takesCallback }) => [id, line, text, isUnawaited, takesCallback]),
  ).toEqual([
    [3, 1, "expect(a).toBe(1)", false, false],
    [4, 2, "expect(b()).rejects.toThrow()", true, false],
    [5, 3, "expect(b()).rejects.toThrow()", false, false],
    [6, 4, "expect(list.every((one) => one > 0)).toBe(true)", false, true],
  ]);
  expect(probed.text.split("\n")[3]).toBe(
    "globalThis.probed(6, expect)(list.every(globalThis.recordingCalls(6, (one) => one > 0))).toBe(true);",
  );
});

test("the tests of a source are first those in its folder, and then those nearest by imports", () => {
  const related = new RelatedTests([
    new Map([["src/app.ts", ["src/http/h2/stream.ts"]]]),
    new Map([
      ["test/app.test.ts", ["src/app.ts"]],
      ["test/http/h2/listening.ts", ["src/app.ts"]],
      ["test/http/h2/drain.test.ts", ["test/http/h2/listening.ts"]],
      ["test/http/head.test.ts", ["test/http/h2/listening.ts"]],
      ["test/mail.test.ts", ["src/mail.ts"]],
    ]),
  ]);
  expect(related.of("src/http/h2/stream.ts", 9)).toEqual([
    "test/http/h2/drain.test.ts",
    "test/http/head.test.ts",
    "test/app.test.ts",
  ]);
  expect(related.of("src/http/h2/stream.ts", 1)).toEqual(["test/http/h2/drain.test.ts"]);
});

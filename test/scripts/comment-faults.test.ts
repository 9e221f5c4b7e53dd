// What the check of comments finds. `npm run check` runs it over the sources.
import { describe, expect, test } from "vitest";
import { commentFaults } from "../../scripts/comments/comment-faults.ts";

const faultsOf = (...lines: readonly string[]): readonly string[] => commentFaults("a.ts", lines.join("\n"));

describe("a comment that is wrong", () => {
  test("too wide for a screen", () => {
    expect(faultsOf(`// ${"x".repeat(137)}`)).toEqual([]);
    expect(faultsOf("", `// ${"x".repeat(138)}`)).toEqual([
      "a.ts:2: a comment has at most 140 columns; shorten it, or continue on the next line",
    ]);
  });

  test("words that nobody says aloud", () => {
    expect(faultsOf("// Four octets.")).toEqual([
      'a.ts:1: "octets" is not plain English; use a common word (byte, again, so, of it, in which)',
    ]);
  });

  test.each([
    ["Makes it.", "export function createThing(): Thing {"],
    ["The page.", "export const Front = () => ("],
    ["Starts them.", "start(): void;"],
    ["A call.", "export interface MadeCall {"],
    ["Whether this is a dry run.", "readonly isDryRun: boolean;"],
    ["The queries of accounts.", "accountQuery: readonly Query[];"],
  ])("a doc comment that says nothing: %s", (comment, line) => {
    expect(faultsOf(`/** ${comment} */`, line)).toEqual([
      `a.ts:1: "${comment}" says nothing that the name does not say; leave it out, or say what the name leaves open`,
    ]);
  });
});

describe("a comment that is right", () => {
  test.each([
    ["In milliseconds.", "readonly timeout: number;"],
    ["Undefined for all.", "readonly service: string | undefined;"],
    ["A `Reason`.", "readonly reason: string;"],
    ["1 to 6.", "readonly depth: number;"],
    ["Upper case.", "readonly verb: string;"],
    ["The dice that no combination uses.", "readonly deadDice: readonly number[];"],
    ["Never rejects.", "close(): Promise<void>;"],
  ])("%s", (comment, line) => {
    expect(faultsOf(`/** ${comment} */`, line)).toEqual([]);
  });

  test("only doc comments are compared with names", () => {
    expect(faultsOf("// The page.", "const page = 1;")).toEqual([]);
  });
});

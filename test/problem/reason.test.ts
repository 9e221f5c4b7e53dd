// The table of reasons is complete and correct: rules that its types cannot express, and what other places say about reasons.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { problemsOf } from "../../scripts/openapi/errors.ts";
import { exampleOf } from "../../scripts/openapi/examples.ts";
import { keyRevoked } from "../../src/guard/keys/key-refusals.ts";
import { challengeHeaders, problemHeaders } from "../../src/problem/headers.ts";
import { type Problem, problemDetails } from "../../src/problem/problem.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import type { Access } from "../../src/problem/reason-rule.ts";
import { ROOT } from "../fixtures/root.ts";

const NAMES = Object.keys(REASONS) as Reason[];
const ACCESSES: readonly Access[] = ["key", "session", "operator", "nothing", "public"];
const PROBLEMS: readonly Problem[] = ACCESSES.flatMap(problemsOf);

test("every reason of status 401 says how to authenticate, and no other does", () => {
  const unauthenticated = NAMES.filter((reason) => REASONS[reason].httpStatus === 401);
  const challenging = NAMES.filter((reason) => "www-authenticate" in challengeHeaders({ reason, message: "" }));
  expect(challenging).toEqual(unauthenticated);
});

test("a problem says when to retry if the table says so, and only then", () => {
  const retrying = PROBLEMS.filter((problem) => {
    const details = problemDetails(problem).map(({ desc }) => desc.typeName);
    return "retry-after" in problemHeaders(problem) && details.includes("google.rpc.RetryInfo");
  });
  const expected = PROBLEMS.filter(({ reason }) => REASONS[reason].retry);
  expect(retrying).toEqual(expected);
  expect(new Set(expected.map(({ reason }) => reason))).toEqual(new Set(NAMES.filter((reason) => REASONS[reason].retry)));
});

test("the comments of the protos name no reason that does not exist", () => {
  const files = globSync("proto/quintet/**/*.proto", { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), "utf8"));
  const lines = files.flatMap((text) => text.split("\n"));
  const declared = new Set(lines.flatMap((line) => /^\s+([A-Z][A-Z_0-9]+) = \d/.exec(line)?.[1] ?? []));
  const named = lines.flatMap((line) => /^\s*\/\/(.*)/.exec(line)?.[1]?.match(/\b[A-Z]{3,}(?:_[A-Z]+)+\b/g) ?? []);
  expect([...new Set(named)].filter((word) => !(word in REASONS) && !declared.has(word))).toEqual([]);
  expect(named).toContain("PLAN_LIMIT");
});

test("each reason says in whole sentences when it occurs and what to do", () => {
  const texts = NAMES.flatMap((reason) => [REASONS[reason].when, REASONS[reason].whatToDo]);
  expect(texts.filter((text) => !/^[A-Z].*\.$/.test(text))).toEqual([]);
});

test("a refusal made by the server's own code is the example of its reason", () => {
  expect(exampleOf("KEY_REVOKED", "key")).toEqual(keyRevoked());
});

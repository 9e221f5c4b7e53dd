// A new reason needs only an entry in the table and a place that throws it. Here the table has an additional entry: everything else
// follows.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Code } from "@connectrpc/connect";
import { describe, expect, test, vi } from "vitest";
import { faultOf, isFinal, needsPlan, reasonsOf as reasonsOfFault } from "../../portal/api/reason.ts";
import { slimReasons } from "../../portal/build/slim-reasons.ts";
import { REASON_PAGES } from "../../portal/content/reasons.ts";
import { reasonsTable, retriesTable } from "../../scripts/docs/tables.ts";
import { errorResponses, errorsOf, type Failing, reasonsOf, requireNamed } from "../../scripts/openapi/errors.ts";
import { writeProblem } from "../../src/gateway/rest/problem-envelope.ts";
import { problemHeaders } from "../../src/problem/headers.ts";
import { codeOf, type Problem } from "../../src/problem/problem.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import type { OperationsOf, ReasonRule } from "../../src/problem/reason-rule.ts";
import { ROOT } from "../fixtures/root.ts";

const { ADDED, OPERATIONS } = vi.hoisted(() => {
  const operations: OperationsOf[] = [{ access: ["session"] }];
  const added: Omit<ReasonRule, "code"> = {
    httpStatus: 418,
    fault: "plan",
    retry: true,
    when: "The kettle is empty.",
    whatToDo: "Fill it.",
    operations,
  };
  return { ADDED: added, OPERATIONS: operations };
});

vi.mock("../../src/problem/reasons/service.ts", async (original) => {
  const { SERVICE_REASONS } = await original<typeof import("../../src/problem/reasons/service.ts")>();
  return { SERVICE_REASONS: { ...SERVICE_REASONS, KETTLE_EMPTY: { ...ADDED, code: 9 } } };
});

const NEW = "KETTLE_EMPTY" as Reason;
const operation = (own: Partial<Failing>): Failing => ({
  access: "session",
  isGet: false,
  namesSomething: false,
  comments: "",
  ...own,
});

test("it is thrown with its own status, code and headers", () => {
  const problem: Problem = { reason: NEW, message: "The kettle is empty.", retryAfterMs: 5000 };
  const { status } = writeProblem(problem, { nowMs: 0, requestId: "id" });
  expect([status, problemHeaders(problem)["retry-after"], codeOf(problem)]).toEqual([418, "5", Code.FailedPrecondition]);
});

test("the documentation has it in the table of its origin", () => {
  expect(reasonsTable("service")).toContain(
    "| `KETTLE_EMPTY` | 418 | `FAILED_PRECONDITION` | no | The kettle is empty. | Fill it. |",
  );
  expect(reasonsTable("key")).not.toContain(NEW);
  expect(retriesTable()).not.toContain(NEW);
});

test("it has its own page", () => {
  expect(REASON_PAGES.find(({ reason }) => reason === NEW)).toEqual({
    path: "/errors/KETTLE_EMPTY",
    reason: NEW,
    httpStatus: 418,
    code: "FAILED_PRECONDITION",
    isCounted: false,
    hasRetryDelay: true,
    meaning: "The kettle is empty.",
    whatToDo: "Fill it.",
    example: undefined,
  });
});

test("pages know how to handle it", () => {
  expect([faultOf(NEW), isFinal(NEW), needsPlan(NEW), reasonsOfFault("plan").includes(NEW)]).toEqual(["plan", true, true, true]);
  expect((slimReasons.load as (id: string) => string)("/src/problem/reason.ts")).toContain('"KETTLE_EMPTY":{"fault":"plan"}');
});

test("nothing else lists reasons", () => {
  const names = Object.keys(REASONS).join("|");
  const list = new RegExp(`"(?:${names})",?\\s*"(?:${names})"|^\\s*"?(?:${names})"?: |(?<!Partial<)Record<Reason\\b`, "m");
  const files = globSync("{src,portal,scripts}/**/*.{ts,tsx}", { cwd: ROOT }).filter((path) => !path.startsWith("src/problem/"));
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((path) => list.test(readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
});

test("no page names a reason: pages look it up in the table", () => {
  const name = new RegExp(`(?<![.\\w])(?:${Object.keys(REASONS).join("|")})\\b`);
  const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  // gRPC's own codes, some of which have the names of reasons.
  const codes = "portal/app/console/wire/failure.ts";
  const files = globSync("portal/**/*.{ts,tsx}", { cwd: ROOT }).filter((path) => path !== codes);
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((path) => name.test(withoutComments(readFileSync(join(ROOT, path), "utf8"))))).toEqual([]);
  expect(name.test('if (reason === "RATE_LIMITED")')).toBe(true);
});

describe("the published operations", () => {
  test.each<{ kind: OperationsOf["kind"]; of: Partial<Failing>; ends: boolean }>([
    { kind: undefined, of: {}, ends: true },
    { kind: undefined, of: { access: "key" }, ends: false },
    { kind: undefined, of: { access: "operator" }, ends: false },
    { kind: "get", of: { isGet: true }, ends: true },
    { kind: "get", of: {}, ends: false },
    { kind: "path", of: { namesSomething: true }, ends: true },
    { kind: "path", of: {}, ends: false },
    { kind: "named", of: { comments: "Boils water. KETTLE_EMPTY where there is none." }, ends: true },
    { kind: "named", of: { access: "key", comments: "KETTLE_EMPTY" }, ends: false },
    { kind: "named", of: {}, ends: false },
  ])("kind $kind, and an operation with $of: $ends", ({ kind, of, ends }) => {
    OPERATIONS.splice(0, 1, { access: ["session"], ...(kind !== undefined && { kind }) });
    expect(reasonsOf(operation(of)).includes(NEW)).toBe(ends);
    expect("418" in errorsOf(operation(of))).toBe(ends);
  });

  test("show its example, made from the table, in the operations that can fail with it", () => {
    const responses = errorResponses(["key", "session"]);
    expect(responses.AccountError418).toMatchObject({
      description: "`KETTLE_EMPTY`: The kettle is empty.",
      headers: { "Retry-After": {} },
      content: { "application/json": { examples: { [NEW]: { value: { message: "The kettle is empty." } } } } },
    });
    expect(responses).not.toHaveProperty("Error418");
  });

  test("cannot leave it out unnoticed", () => {
    OPERATIONS.splice(0, 1, { access: ["session"], kind: "named" });
    const others = Object.entries(REASONS)
      .filter(([name, rule]) => name !== NEW && rule.operations.some(({ kind }) => kind === "named"))
      .map(([name]) => name)
      .join(" ");
    expect(() => requireNamed("session", others)).toThrow("No operation can end with KETTLE_EMPTY: name it in the proto");
    expect(() => requireNamed("session", `${others} KETTLE_EMPTY`)).not.toThrow();
  });
});

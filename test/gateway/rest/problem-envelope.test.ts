import { describe, expect, test } from "vitest";
import { writeProblem } from "../../../src/gateway/rest/problem-envelope.ts";
import type { Problem } from "../../../src/problem/problem.ts";
import { REASONS, type Reason } from "../../../src/problem/reason.ts";

const meta = { nowMs: Date.UTC(2026, 0, 31, 12), requestId: "6f1f3a2c-8a8b-4c39-9d4e-0d6a3f9f5b11" };
const errorInfo = (reason: Reason, metadata?: Record<string, string>) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: "quintet.example",
  ...(metadata === undefined ? {} : { metadata }),
});

test("the error envelope has its keys in a fixed order", () => {
  const { status, body } = writeProblem({ reason: "NOT_FOUND", message: 'No station "x".' }, meta);
  expect(status).toBe(404);
  expect(body).toBe(
    '{"data":null,"meta":{"timestamp":"2026-01-31T12:00:00.000Z","request_id":"6f1f3a2c-8a8b-4c39-9d4e-0d6a3f9f5b11"},' +
      '"status":"error","message":"No station \\"x\\".","success":false,"error":{"reason":"NOT_FOUND","code":"NOT_FOUND",' +
      '"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NOT_FOUND","domain":"quintet.example"}]}}',
  );
});

describe("details are google.rpc messages with proto names", () => {
  const violations = [{ field: "dice[2]", description: "must be from 1 to 6" }];
  const rows: readonly (readonly [string, Problem, unknown])[] = [
    [
      "wrong fields",
      { reason: "INVALID_ARGUMENT", message: "m", violations },
      {
        reason: "INVALID_ARGUMENT",
        code: "INVALID_ARGUMENT",
        details: [
          errorInfo("INVALID_ARGUMENT"),
          { "@type": "type.googleapis.com/google.rpc.BadRequest", field_violations: violations },
        ],
      },
    ],
    [
      "a time to wait",
      { reason: "RATE_LIMITED", message: "m", retryAfterMs: 1500 },
      {
        reason: "RATE_LIMITED",
        code: "RESOURCE_EXHAUSTED",
        details: [errorInfo("RATE_LIMITED"), { "@type": "type.googleapis.com/google.rpc.RetryInfo", retry_delay: "1.500s" }],
      },
    ],
    [
      "what is used up, and facts",
      { reason: "QUOTA_EXCEEDED", message: "All used.", quotaSubject: "subscription:radio", metadata: { plan: "free" } },
      {
        reason: "QUOTA_EXCEEDED",
        code: "RESOURCE_EXHAUSTED",
        details: [
          errorInfo("QUOTA_EXCEEDED", { plan: "free" }),
          {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            violations: [{ subject: "subscription:radio", description: "All used." }],
          },
        ],
      },
    ],
    [
      "nothing of the cause",
      { reason: "INTERNAL", message: "m", cause: new Error("secret") },
      { reason: "INTERNAL", code: "INTERNAL", details: [errorInfo("INTERNAL")] },
    ],
    [
      "a code of two Ls",
      { reason: "CANCELLED", message: "m" },
      { reason: "CANCELLED", code: "CANCELLED", details: [errorInfo("CANCELLED")] },
    ],
  ];
  test.each(rows)("%s", (_, problem, expected) => {
    expect(JSON.parse(writeProblem(problem, meta).body).error).toEqual(expected);
  });
});

test("every reason has its HTTP status from the table, and its code in upper case", () => {
  for (const reason of Object.keys(REASONS) as Reason[]) {
    const { status, body } = writeProblem({ reason, message: "m" }, meta);
    expect(status).toBe(REASONS[reason].httpStatus);
    expect(JSON.parse(body).error.code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
  }
});

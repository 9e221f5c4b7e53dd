// What tells a gRPC client when to retry, for each reason for which it retries by itself.
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { grpcStatusOf } from "../../../src/gateway/rpc/grpc-status.ts";
import { problemOf } from "../../../src/problem/failure.ts";
import type { Problem } from "../../../src/problem/problem.ts";
import { REASONS, type Reason } from "../../../src/problem/reason.ts";

const pushbackOf = (problem: Problem): string | undefined => grpcStatusOf(problem)["grpc-retry-pushback-ms"];
const RETRYABLE: ReadonlySet<Code> = new Set([Code.ResourceExhausted, Code.Unavailable]);

test.each<[reason: Reason, retryAfterMs: number | undefined, pushback: string | undefined]>([
  ["RATE_LIMITED", 200, "200"],
  ["RATE_LIMITED", 33.4, "34"],
  ["RATE_LIMITED", 30_000, "30000"],
  ["RATE_LIMITED", 30_001, "-1"],
  ["QUOTA_EXCEEDED", 820_800_000, "-1"],
  ["QUOTA_EXCEEDED", 5, "-1"],
  ["BODY_TOO_LARGE", undefined, "-1"],
  ["HEADERS_TOO_LARGE", undefined, "-1"],
  ["LIMITS_UNAVAILABLE", 1000, "1000"],
  ["STORE_UNAVAILABLE", 1000, "1000"],
  ["SERVER_BUSY", 1000, "1000"],
  ["SHUTTING_DOWN", 1000, "1000"],
  // The client's own backoff, which grows and differs from client to client.
  ["UPSTREAM_FAILED", undefined, undefined],
])("%s with a wait of %s ms: %s", (reason, retryAfterMs, pushback) => {
  expect(pushbackOf({ reason, message: "", ...(retryAfterMs !== undefined && { retryAfterMs }) })).toBe(pushback);
});

test("a reason for which no client retries has none", () => {
  const others = (Object.keys(REASONS) as Reason[]).filter((reason) => !RETRYABLE.has(REASONS[reason].code));
  expect(others).toContain("INVALID_ARGUMENT");
  expect(others.filter((reason) => pushbackOf({ reason, message: "", retryAfterMs: 1000 }) !== undefined)).toEqual([]);
});

test("an error from Connect itself is treated by its code", () => {
  expect(pushbackOf(problemOf(new ConnectError("gone", Code.Unavailable)))).toBeUndefined();
  expect(pushbackOf(problemOf(new ConnectError("much", Code.ResourceExhausted)))).toBe("-1");
});

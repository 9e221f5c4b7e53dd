import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Failure, problemOf } from "../../src/problem/failure.ts";
import { deadlineOf } from "../../src/upstream/deadline.ts";
import { UpstreamFault } from "../../src/upstream/fault.ts";
import { upstreamFailure } from "../../src/upstream/upstream-failure.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const signal = new AbortController().signal;

describe("the time of a call", () => {
  test.each([
    ["the service's, without a caller's", 1000, undefined, 1000],
    ["the service's, if the caller has more", 1000, 5000, 1000],
    ["the caller's minus the time for the response, if that is less", 1000, 500, 480],
    ["none, if the caller has less than the response takes", 1000, 10, 0],
  ])("is %s", (_name, budgetMs, callerMs, leftMs) => {
    const clock = createManualClock({ nowMs: 0 });
    expect(deadlineOf({ signal, timeoutMs: () => callerMs }, clock, budgetMs).timeLeftMs()).toBe(leftMs);
  });

  test("counts down to zero and not below", () => {
    const clock = createManualClock({ nowMs: 0 });
    const deadline = deadlineOf({ signal, timeoutMs: () => undefined }, clock, 100);
    clock.advance(60);
    expect(deadline.timeLeftMs()).toBe(40);
    clock.advance(60);
    expect(deadline.timeLeftMs()).toBe(0);
  });
});

describe("the error that a caller gets", () => {
  const fault = new UpstreamFault("status", "responded with status 500 from 10.0.0.1", { status: 500 });
  const told = (thrown: unknown, aborted: AbortSignal, leftMs: number): unknown => {
    const { reason, message } = problemOf(upstreamFailure(thrown, { signal: aborted, timeLeftMs: () => leftMs }, "the directory"));
    return [reason, message];
  };
  const late = ["DEADLINE_EXCEEDED", "The call timed out before the directory responded; it was not counted."];

  test.each<[string, unknown, AbortSignal, number, unknown]>([
    [
      "a fault with time left",
      fault,
      signal,
      100,
      ["UPSTREAM_FAILED", "The directory gave no usable response; the call was not counted."],
    ],
    ["a fault when the time is up", fault, signal, 0, late],
    ["a timer that ran a little early", fault, signal, 3, late],
    ["the caller's deadline", fault, AbortSignal.abort(new ConnectError("too late", Code.DeadlineExceeded)), 100, late],
    ["a caller that has disconnected", fault, AbortSignal.abort(), 100, ["CANCELLED", "The caller has disconnected."]],
    ["a failure", new Failure({ reason: "NOT_FOUND", message: "No." }), signal, 100, ["NOT_FOUND", "No."]],
    ["a defect", new TypeError("x is undefined"), signal, 100, ["INTERNAL", expect.stringMatching(/on our side/)]],
  ])("%s", (_name, thrown, aborted, leftMs, expected) => {
    expect(told(thrown, aborted, leftMs)).toEqual(expected);
  });

  test("the fault is kept for the log", () => {
    expect(problemOf(upstreamFailure(fault, { signal, timeLeftMs: () => 1000 }, "the directory")).cause).toBe(fault);
  });
});

import { create, type DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { FarkleService, ScoreRequestSchema } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import type { ObservedCall } from "../../src/gateway/call-observer.ts";
import { createCallIds, createLoggedCallRecorder } from "../../src/gateway/logged-call-recorder.ts";
import type { Reason } from "../../src/problem/reason.ts";
import type { LoggedCall } from "../../src/store/usage-records.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const START_MS = Date.UTC(2026, 10, 21, 12);

function open(callsPerSecondMax = 20) {
  const clock = createManualClock({ nowMs: START_MS });
  const logged: (readonly LoggedCall[])[] = [];
  const recorder = createLoggedCallRecorder({
    services: new Map([[FarkleService.typeName, "farkle"]]),
    callsPerSecondMax,
    passOn: (calls) => logged.push(calls),
    clock,
    idOf: createCallIds({ uuid: () => "u" }),
  });
  const end = (count: number, outcome: "OK" | Reason = "OK", isRefused = false, accountId = "a-1"): void => {
    for (let created = 0; created < count; created++) {
      recorder.ended(observed({ identity: { accountId, keyId: "k-1", keyLastFour: "abcd" } }), outcome, isRefused);
    }
  };
  return { clock, recorder, logged, end };
}

const observed = (changes: object = {}, desc: DescMethod = FarkleService.method.score): ObservedCall =>
  ({
    exchange: { status: 200, requestId: "r-1", requestBodyBytes: 20, responseBodyBytes: 300 },
    protocolName: "rest",
    isDryRun: false,
    method: { desc, fullName: "some.Service/Method" },
    startedMs: 0,
    identity: { accountId: "a-1", keyId: "k-1", keyLastFour: "abcd" },
    ...changes,
  }) as never;

const recorded = {
  accountId: "a-1",
  id: "u-1",
  startedAtMs: START_MS,
  service: "farkle",
  method: "some.Service/Method",
  protocol: "rest",
  httpStatus: 200,
  outcome: "OK",
  isRefused: false,
  isDryRun: false,
  durationMs: 2.5,
  requestBytes: 20,
  responseBytes: 300,
  requestId: "r-1",
  keyId: "k-1",
  keyLastFour: "abcd",
  leftOut: 0,
  parameters: undefined,
};

test("a call is passed on within a second of its end, with its parameters", () => {
  const { clock, recorder, logged } = open();
  clock.advance(2.5);
  recorder.ended(observed({ input: create(ScoreRequestSchema, { dice: [1, 5] }) }), "OK", false);
  expect(logged).toEqual([]);
  clock.advance(1000);
  expect(logged).toEqual([[{ ...recorded, parameters: '{"dice":[1,5]}' }]]);
  clock.advance(10_000);
  expect(logged.length).toBe(1);
});

test("long parameters are cut", () => {
  const { recorder, logged } = open();
  recorder.ended(observed({ input: create(ScoreRequestSchema, { dice: Array(2000).fill(1) }) }), "INVALID_ARGUMENT", false);
  recorder.flush();
  const parameters = logged[0]?.[0]?.parameters ?? "";
  expect([parameters.length, parameters.slice(0, 11), parameters.at(-1)]).toEqual([2001, '{"dice":[1,', "…"]);
});

test("calls that succeed, fail and are refused each have a bound, and the last one of the second says how many are left out", () => {
  const { recorder, logged, end } = open(20);
  end(100);
  end(7, "NOT_FOUND");
  end(3, "RATE_LIMITED", true);
  recorder.flush();
  expect(logged.flat().map(({ outcome, leftOut }) => [outcome, leftOut])).toEqual([
    ...Array(5).fill(["OK", 0]),
    ...Array(5).fill(["NOT_FOUND", 0]),
    ["RATE_LIMITED", 0],
    ["RATE_LIMITED", 0],
    ["RATE_LIMITED", 97],
  ]);
});

test("the next second has the same bounds again", () => {
  const { clock, logged, end } = open(20);
  end(6);
  clock.advance(1000);
  end(6);
  clock.advance(1000);
  expect(logged.map((calls) => [calls.length, calls.at(-1)?.leftOut])).toEqual([
    [5, 1],
    [5, 1],
  ]);
});

test("all accounts together have a bound, and the next call of an account without a logged one says how many were left out", () => {
  const { clock, logged, end } = open(20);
  for (const accountId of ["a-1", "a-2", "a-3", "a-4", "a-5"]) {
    end(5, "OK", false, accountId);
  }
  clock.advance(1000);
  end(1, "OK", false, "a-5");
  clock.advance(1000);
  expect(logged.map((calls) => [calls.length, calls.at(-1)?.accountId, calls.at(-1)?.leftOut])).toEqual([
    [20, "a-4", 0],
    [1, "a-5", 5],
  ]);
});

test.each([
  ["a request without a known key", { identity: undefined }],
  ["a request for no method", { method: undefined }],
])("%s is not logged", (_, changes) => {
  const { recorder, logged } = open();
  recorder.ended(observed(changes), "OK", false);
  recorder.flush();
  expect(logged).toEqual([]);
});

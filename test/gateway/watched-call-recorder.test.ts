import type { DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { FarkleService } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { TokenPriceService } from "../../gen/quintet/tokenprice/v1/token_price_pb.js";
import type { CallBatch } from "../../src/account/watch/call-record.ts";
import { WatchedAccounts } from "../../src/account/watch/watched-accounts.ts";
import type { CallObserver, ObservedCall } from "../../src/gateway/call-observer.ts";
import { createCallIds } from "../../src/gateway/logged-call-recorder.ts";
import { createWatchedCallRecorder, whileWatched } from "../../src/gateway/watched-call-recorder.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const START_MS = Date.UTC(2026, 10, 21, 12);

function open() {
  const clock = createManualClock({ nowMs: START_MS });
  const watched = new WatchedAccounts();
  watched.set(["a-1"]);
  const passedOn: CallBatch[][] = [];
  const services = new Map([
    [FarkleService.typeName, "farkle"],
    [TokenPriceService.typeName, "token-price"],
  ] as const);
  const recorder = createWatchedCallRecorder({
    services,
    watched,
    passOn: (batches) => passedOn.push([...batches]),
    clock,
    idOf: createCallIds({ uuid: () => "u" }),
  });
  return { clock, watched, recorder, passedOn };
}

const observed = (desc: DescMethod, changes: object = {}): ObservedCall =>
  ({
    exchange: { status: 200, requestId: "r-1", requestBodyBytes: 20, responseBodyBytes: 300 },
    protocolName: "grpc",
    isDryRun: true,
    method: { desc, fullName: "some.Service/Method" },
    startedMs: 0,
    identity: { accountId: "a-1", keyId: "k-1", keyLastFour: "abcd" },
    ...changes,
  }) as never;

const recorded = {
  id: "u-1",
  startedAtMs: START_MS,
  service: "farkle",
  method: "some.Service/Method",
  protocol: "grpc",
  httpStatus: 200,
  outcome: "OK",
  isRefused: false,
  isDryRun: true,
  durationMs: 2.5,
  requestBytes: 20,
  responseBytes: 300,
  requestId: "r-1",
  keyId: "k-1",
  keyLastFour: "abcd",
};

test("passes on the calls of a tenth of a second together", () => {
  const { clock, recorder, passedOn } = open();
  clock.advance(2.5);
  recorder.ended(observed(FarkleService.method.score), "OK", false);
  recorder.ended(observed(FarkleService.method.score), "RATE_LIMITED", true);
  clock.advance(99);
  expect(passedOn).toEqual([]);
  clock.advance(1);
  const calls = [recorded, { ...recorded, id: "u-2", outcome: "RATE_LIMITED", isRefused: true }];
  expect(passedOn).toEqual([[{ accountId: "a-1", calls, leftOut: 0 }]]);
  clock.advance(1000);
  expect(passedOn).toHaveLength(1);
});

test("records a stream when it begins and when it ends, under one id", () => {
  const { clock, recorder, passedOn } = open();
  const stream = observed(TokenPriceService.method.watchPrices);
  recorder.started(stream);
  clock.advance(2.5);
  recorder.ended(stream, "CANCELLED", false);
  clock.advance(100);
  const ended = { ...recorded, service: "token-price" };
  const calls = [
    { ...ended, outcome: undefined, durationMs: 0 },
    { ...ended, outcome: "CANCELLED" },
  ];
  expect(passedOn).toEqual([[{ accountId: "a-1", calls, leftOut: 0 }]]);
});

test("records at most 100 calls of an account in a tenth of a second, and counts the others", () => {
  const { clock, recorder, passedOn } = open();
  for (let created = 0; created < 130; created++) {
    recorder.ended(observed(FarkleService.method.score), "OK", false);
  }
  clock.advance(100);
  expect(passedOn[0]?.map(({ calls, leftOut }) => [calls.length, leftOut])).toEqual([[100, 30]]);
});

test.each([
  ["nobody", { identity: undefined }],
  ["an account that is not watched", { identity: { accountId: "a-2", keyId: "k", keyLastFour: "abcd" } }],
])("records no call of %s", (_, changes) => {
  const { clock, recorder, passedOn } = open();
  recorder.ended(observed(FarkleService.method.score, changes), "OK", false);
  clock.advance(100);
  expect([passedOn, clock.pending]).toEqual([[], 0]);
});

test("passes calls only to permanent observers until an account is watched", () => {
  const { watched, recorder } = open();
  const always: CallObserver = { started() {}, ended() {} };
  watched.set([]);
  expect([whileWatched(undefined, recorder, watched)(), whileWatched(always, recorder, watched)()]).toEqual([undefined, always]);
  watched.set(["a-1"]);
  expect(whileWatched(undefined, recorder, watched)()).toBe(recorder);
  expect(whileWatched(always, recorder, watched)()).not.toBe(always);
});

import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problemOf } from "../../../src/problem/failure.ts";
import { createLog } from "../../../src/runtime/log.ts";
import type { StandIn } from "../../../src/sandbox/stand-ins/stand-in.ts";
import { type StandInResponse, startStandIn } from "../../../src/sandbox/stand-ins/stand-in-server.ts";
import { createDirectory, type Directory } from "../../../src/services/radio/directory.ts";
import { stationsQuery } from "../../../src/services/radio/directory-query.ts";
import type { NameResolver } from "../../../src/services/radio/name-resolver.ts";
import type { CallContext } from "../../../src/upstream/deadline.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { withRetries } from "./radio-scene.ts";
import { rawStation } from "./raw-row.ts";
import { tableResolver } from "./table-resolver.ts";

const question = stationsQuery([rawStation().stationuuid]);
let clock: ManualClock;
let mirror: StandIn;
let response: StandInResponse;
let userAgents: unknown[];
let paths: string[];
let directory: Directory;

beforeEach(async () => {
  clock = createManualClock({ nowMs: 0 });
  response = { status: 200, body: JSON.stringify([rawStation()]) };
  userAgents = [];
  paths = [];
  mirror = await startStandIn({
    name: "radio",
    clock,
    handle(url, request) {
      userAgents.push(request.headers["user-agent"]);
      paths.push(url.pathname + url.search);
      return response;
    },
  });
  directory = open(tableResolver({ addresses: {}, services: {} }));
});

afterEach(async () => {
  await Promise.all([directory.close(), mirror.close()]);
});

const context = (signal = new AbortController().signal, timeoutMs?: number): CallContext => ({
  signal,
  timeoutMs: () => timeoutMs,
});

const reasonOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "answered",
    (error: unknown) => problemOf(error).reason,
  );

async function hanging(call: () => Promise<unknown>): Promise<Promise<string>[]> {
  mirror.misbehaviour = { kind: "slow", delayMs: 60_000 };
  const before = mirror.requestCount;
  const outcome = reasonOf(call());
  while (mirror.requestCount === before) {
    await new Promise(setImmediate);
  }
  return [outcome];
}

test("the directory gets our user agent and nothing but the request", async () => {
  await directory.query(question, context());
  expect([userAgents, paths]).toEqual([
    ["Quintet/test (+https://quintet.example)"],
    [`/json/stations/byuuid?uuids=${rawStation().stationuuid}`],
  ]);
});

test.each<[string, StandInResponse]>([
  ["that is a web page", { status: 200, headers: { "content-type": "text/html" }, body: "<html></html>" }],
  ["that is broken off", { status: 200, body: '[{"stationuuid":"5a00' }],
  ["of the wrong shape", { status: 200, body: '{"stations":[]}' }],
  ["whose rows are not stations", { status: 200, body: '[{"error":"no such table"}]' }],
  ["with the status 404", { status: 404, body: "" }],
  ["that is too large", { status: 200, body: `["${"x".repeat(9_000_000)}"]` }],
])("a response %s is a failure", async (_, garbage) => {
  response = garbage;
  expect(await withRetries(clock, reasonOf(directory.query(question, context())))).toBe("UPSTREAM_FAILED");
});

test("a request that exceeds our own deadline is a failure of the directory", async () => {
  const [outcome] = await hanging(() => directory.query(question, context()));
  clock.advance(2999);
  await new Promise(setImmediate);
  clock.advance(1);
  expect(await outcome).toBe("UPSTREAM_FAILED");
});

test("a caller's earlier deadline is reported as the caller's", async () => {
  const [outcome] = await hanging(() => directory.query(question, context(undefined, 1000)));
  clock.advance(1000);
  expect(await outcome).toBe("DEADLINE_EXCEEDED");
});

test.each<[string, unknown, string]>([
  ["whose deadline has passed", new ConnectError("late", Code.DeadlineExceeded), "DEADLINE_EXCEEDED"],
  ["that has gone", new ConnectError("gone", Code.Canceled), "CANCELLED"],
])("a caller %s gets that as the reason", async (_, reason, expected) => {
  const controller = new AbortController();
  const [outcome] = await hanging(() => directory.query(question, context(controller.signal)));
  controller.abort(reason);
  expect(await outcome).toBe(expected);
});

test("a closed directory ends the calls in progress and accepts no more", async () => {
  const [outcome] = await hanging(() => directory.query(question, context()));
  await directory.close();
  expect(await outcome).toBe("UPSTREAM_FAILED");
  expect([await reasonOf(directory.query(question, context())), mirror.requestCount]).toEqual(["UPSTREAM_FAILED", 1]);
});

test("closing does not wait for a lookup to which no name server responds", async () => {
  const never = () => new Promise<never>(() => {});
  const waiting = open({ hostsOf: never, addressesOf: never }, "https://mirror.example");
  waiting.begin();
  await waiting.close();
});

/** A directory with one mirror. */
function open(resolver: NameResolver, origin = mirror.origin): Directory {
  return createDirectory({
    config: { mirrors: [origin], srvName: undefined, attemptTimeoutMs: 4000, hedgeMs: 600, deadlineMs: 3000, freshMs: 0 },
    outbound: { userAgent: "Quintet/test (+https://quintet.example)", connectTimeoutMs: 2000 },
    resolver,
    clock,
    randomness: { bytes: (count) => new Uint8Array(count), uuid: () => "", unit: () => 0.5 },
    log: createLog("silent"),
  });
}

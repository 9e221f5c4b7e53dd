// What a server measures about customers' calls, and when it writes it.
import { expect, onTestFinished, test } from "vitest";
import { LatencyRecorder } from "../../src/operations/latency-recorder.ts";
import { createLog } from "../../src/runtime/log.ts";
import { CALL_LATENCY_BOUNDS_MS, type LatencyCount, type LoggedCall, latencyBucketOf } from "../../src/store/usage-records.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const nowMs = Date.parse("2026-11-21T12:00:00Z");
const logged = (durationMs: number, change: Partial<LoggedCall> = {}): LoggedCall =>
  ({
    ...{
      accountId: "a-1",
      service: "radio",
      method: "m/Search",
      startedAtMs: nowMs,
      durationMs,
      isRefused: false,
      isDryRun: false,
    },
    ...change,
  }) as LoggedCall;
const count = (counts: Readonly<Record<number, number>>, change: Partial<LatencyCount> = {}): LatencyCount => ({
  ...{ accountId: "a-1", service: "radio", hour: "2026-11-21T12" },
  latency: Array.from({ length: CALL_LATENCY_BOUNDS_MS.length + 1 }, (_, bucket) => counts[bucket] ?? 0),
  ...change,
});

function begin() {
  const clock = createManualClock({ nowMs });
  const written: (readonly LatencyCount[])[] = [];
  const state = { isAway: false };
  const store = {
    addLatency: async (counts: readonly LatencyCount[]) => {
      if (state.isAway) {
        throw new Error("away");
      }
      written.push(counts);
    },
  };
  const recorder = new LatencyRecorder({ store, streams: new Set(["m/Watch"]), clock, log: createLog("silent") });
  onTestFinished(() => recorder.close());
  const pass = async (ms = 60_000) => {
    clock.advance(ms);
    await new Promise(setImmediate);
  };
  return { written, state, recorder, pass };
}

test.each([
  { ms: 0, bucket: 0 },
  { ms: 0.25, bucket: 0 },
  { ms: 0.26, bucket: 1 },
  { ms: 1, bucket: 2 },
  { ms: 32_768, bucket: 17 },
  { ms: 32_769, bucket: 18 },
  { ms: 10_000_000, bucket: 18 },
])("a call of $ms ms is in bucket $bucket", ({ ms, bucket }) => {
  expect(latencyBucketOf(ms)).toBe(bucket);
  expect(CALL_LATENCY_BOUNDS_MS.findIndex((bound) => ms <= bound)).toBe(bucket === 18 ? -1 : bucket);
});

test("calls are counted by account, service and hour, without refused calls, dry runs and streams", async () => {
  const { recorder, written, pass } = begin();
  recorder.logged([
    logged(0.2),
    logged(0.3),
    logged(0.2, { service: "farkle" }),
    logged(40_000, { accountId: "a-2" }),
    logged(0.2, { startedAtMs: nowMs - 1 }),
    logged(1, { isRefused: true }),
    logged(1, { isDryRun: true }),
    logged(60_000, { method: "m/Watch" }),
  ]);
  expect(written).toEqual([]);
  await pass();
  await pass();
  expect(written).toEqual([
    [
      count({ 0: 1, 1: 1 }),
      count({ 0: 1 }, { service: "farkle" }),
      count({ 0: 1 }, { hour: "2026-11-21T11" }),
      count({ 18: 1 }, { accountId: "a-2" }),
    ],
  ]);
});

test("what cannot be written is kept, together with later counts, and nothing is counted twice", async () => {
  const { recorder, state, written, pass } = begin();
  state.isAway = true;
  recorder.logged([logged(0.2)]);
  await pass();
  recorder.logged([logged(0.2), logged(1)]);
  await pass();
  state.isAway = false;
  await pass();
  await pass();
  expect(written).toEqual([[count({ 0: 2, 2: 1 })]]);
});

test("many accounts are written in several batches", async () => {
  const { recorder, written, pass } = begin();
  recorder.logged(Array.from({ length: 1200 }, (_, index) => logged(1, { accountId: `a-${index}` })));
  await pass();
  await pass();
  await pass(100);
  await pass(100);
  await pass(100);
  expect(written.map((counts) => counts.length)).toEqual([500, 500, 200]);
});

test.each([
  { accounts: 999, minutes: 1 },
  { accounts: 1000, minutes: 2 },
  { accounts: 9999, minutes: 5 },
  { accounts: 25_000, minutes: 1 },
])("the counts of $accounts accounts are written after $minutes min", async ({ accounts, minutes }) => {
  const { recorder, written, pass } = begin();
  for (const round of [1, 2]) {
    recorder.logged(Array.from({ length: accounts }, (_, index) => logged(1, { accountId: `a-${index}` })));
    for (let minute = 1; minute < minutes; minute++) {
      await pass();
    }
    expect(written.flat()).toHaveLength((round - 1) * accounts);
    await pass();
    for (let batch = 1; batch < accounts / 500; batch++) {
      await pass(100);
    }
    // The job sees that there is no more.
    await pass(100);
    expect(written.flat()).toHaveLength(round * accounts);
  }
});

test("while the database is down, memory is bounded", async () => {
  const { recorder, state, written, pass } = begin();
  state.isAway = true;
  recorder.logged(Array.from({ length: 60_000 }, (_, index) => logged(1, { accountId: `a-${index}` })));
  await pass();
  recorder.logged([logged(1, { accountId: "a-1" }), logged(1, { accountId: "a-59999" })]);
  state.isAway = false;
  await recorder.close();
  const all = written.flat();
  expect([all.length, all.find(({ accountId }) => accountId === "a-1")?.latency[2]]).toEqual([50_000, 2]);
});

test("the last minute is written when the server stops", async () => {
  const { recorder, written } = begin();
  recorder.logged([logged(1)]);
  await recorder.close();
  expect(written).toEqual([[count({ 2: 1 })]]);
});

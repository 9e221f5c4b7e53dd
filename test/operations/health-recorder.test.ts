// What a server measures about its services, and when it writes it.
import { expect, onTestFinished, test } from "vitest";
import { HealthRecorder } from "../../src/operations/health-recorder.ts";
import { createUpstreamRecorder } from "../../src/operations/metrics/upstream-recorder.ts";
import { createMetricsMemory } from "../../src/operations/metrics/worker-metrics.ts";
import { createLog } from "../../src/runtime/log.ts";
import type { GuardStore } from "../../src/store/store.ts";
import {
  type HealthCount,
  LATENCY_BOUNDS_MS,
  type LoggedCall,
  type RefusalCount,
  type UsageCount,
} from "../../src/store/usage-records.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { newBatch } from "../fixtures/new-batch.ts";

const nowMs = Date.parse("2026-11-21T12:00:00Z");
const latency = (counts: Readonly<Record<number, number>> = {}): readonly number[] =>
  Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, bucket) => counts[bucket] ?? 0);

const used = (change: Partial<UsageCount> = {}): UsageCount => ({
  ...{ accountId: "a-1", keyId: "k-1", service: "radio", method: "m/Search", day: "2026-11-21", hour: 9, outcome: "OK", calls: 5 },
  ...change,
});
const refused = (change: Partial<RefusalCount> = {}): RefusalCount => ({
  ...{
    accountId: "a-1",
    keyId: "k-1",
    service: "radio",
    day: "2026-11-21",
    hour: 9,
    reason: "RATE_LIMITED",
    calls: 3,
    rateNeeded: 0,
  },
  ...change,
});
const logged = (durationMs: number, change: Partial<LoggedCall> = {}): LoggedCall =>
  ({
    ...{ service: "radio", method: "m/Search", startedAtMs: nowMs, durationMs, isRefused: false, isDryRun: false },
    ...change,
  }) as LoggedCall;

function begin() {
  const clock = createManualClock({ nowMs });
  const written: (readonly HealthCount[])[] = [];
  const state = { isAway: false };
  const memory = createMetricsMemory([]);
  const store = {
    addHealth: async (counts: readonly HealthCount[]) => {
      if (state.isAway) {
        throw new Error("away");
      }
      written.push(counts);
    },
  };
  const streams = new Set(["m/Watch"]);
  const recorder = new HealthRecorder({
    store,
    metrics: [memory, createMetricsMemory([])],
    streams,
    clock,
    log: createLog("silent"),
  });
  onTestFinished(() => recorder.close());
  const guardStore = recorder.watching({ addUsage: async () => {}, addRefusals: async () => {} } as unknown as GuardStore);
  const pass = async (ms = 60_000) => {
    clock.advance(ms);
    await new Promise(setImmediate);
  };
  return { clock, written, state, memory, recorder, guardStore, pass };
}

const count = (change: Partial<HealthCount>): HealthCount => ({
  ...{ service: "radio", part: "calls", hour: "2026-11-21T09", calls: 0, failed: 0, refused: 0, latency: latency() },
  ...change,
});

test("a call counts as failed if the server or a source failed, and not if the caller did", async () => {
  const { guardStore, written, pass } = begin();
  await guardStore.addUsage(
    [
      used(),
      used({ outcome: "UPSTREAM_FAILED", calls: 2 }),
      used({ outcome: "INTERNAL", calls: 1 }),
      used({ outcome: "NOT_FOUND", calls: 4 }),
      used({ outcome: "OF_ANOTHER_VERSION", calls: 1 }),
      used({ calls: 0 }),
      used({ service: "farkle", hour: 10 }),
    ],
    newBatch(),
  );
  expect(written).toEqual([]);
  await pass();
  expect(written).toEqual([[count({ calls: 13, failed: 3 }), count({ service: "farkle", hour: "2026-11-21T10", calls: 5 })]]);
});

test("a refusal is a failure if the server could not admit the call, and is left out of the calls otherwise", async () => {
  const { guardStore, written, pass } = begin();
  await guardStore.addRefusals([refused(), refused({ reason: "LIMITS_UNAVAILABLE", calls: 2 })], newBatch());
  await pass();
  expect(written).toEqual([[count({ calls: 2, failed: 2, refused: 3 })]]);
});

test("times are those of the calls in the log, without refused calls, dry runs and streams", async () => {
  const { recorder, written, pass } = begin();
  recorder.logged([
    logged(0.2),
    logged(5),
    logged(5.1),
    logged(40_000),
    logged(1, { isRefused: true }),
    logged(1, { isDryRun: true }),
    logged(60_000, { method: "m/Watch" }),
  ]);
  await pass();
  expect(written).toEqual([[count({ hour: "2026-11-21T12", latency: latency({ 0: 2, 1: 1, 12: 1 }) })]]);
});

test("requests to sources are counted since the last time, over all threads, if they were sent", async () => {
  const { memory, clock, written, pass } = begin();
  const upstream = createUpstreamRecorder(memory, "radio", clock);
  upstream?.attempted("ok", 30, "a.example");
  upstream?.attempted("timeout", 3000, "a.example");
  upstream?.attempted("throttled", 0, "a.example");
  await pass();
  upstream?.attempted("status", 30, "a.example");
  await pass();
  await pass();
  const source = { part: "source", hour: "2026-11-21T12" } as const;
  expect(written.filter((counts) => counts.length > 0)).toEqual([
    [count({ ...source, calls: 2, failed: 1, latency: latency({ 3: 1, 9: 1 }) })],
    [count({ ...source, calls: 1, failed: 1, latency: latency({ 3: 1 }) })],
  ]);
});

test("what cannot be written is kept, together with later counts, and nothing is counted twice", async () => {
  const { guardStore, recorder, state, written, pass } = begin();
  state.isAway = true;
  await guardStore.addUsage([used()], newBatch());
  recorder.logged([logged(1, { startedAtMs: Date.parse("2026-11-21T09:30:00Z") })]);
  await pass();
  await guardStore.addUsage([used({ calls: 7 })], newBatch());
  await pass();
  state.isAway = false;
  await pass();
  await pass();
  expect(written.filter((counts) => counts.length > 0)).toEqual([[count({ calls: 12, latency: latency({ 0: 1 }) })]]);
});

test("while the database is down for days, memory is bounded", async () => {
  const { guardStore, state, written, pass } = begin();
  state.isAway = true;
  const days = Array.from({ length: 60 }, (_, index) => new Date(nowMs + index * 86_400_000).toISOString().slice(0, 10));
  for (const day of days) {
    await guardStore.addUsage(
      Array.from({ length: 24 }, (_, hour) => used({ day, hour })),
      newBatch(),
    );
  }
  state.isAway = false;
  await pass();
  expect(written.map((counts) => counts.length)).toEqual([1000]);
});

test("the last minute is written when the server stops", async () => {
  const { guardStore, recorder, written } = begin();
  await guardStore.addUsage([used()], newBatch());
  await recorder.close();
  expect(written).toEqual([[count({ calls: 5 })]]);
});

test("a batch that the store does not accept is not counted", async () => {
  const { recorder, written, pass } = begin();
  const failing = { addUsage: () => Promise.reject(new Error("away")) } as unknown as GuardStore;
  await expect(recorder.watching(failing).addUsage([used()], newBatch())).rejects.toThrow("away");
  await pass();
  expect(written.flat()).toEqual([]);
});

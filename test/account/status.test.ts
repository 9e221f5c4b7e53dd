// What the public may know about the condition of the services.
import { expect, test } from "vitest";
import { latencyQuantileMs } from "../../src/account/latency-quantile.ts";
import { createStatusReader } from "../../src/account/status.ts";
import type { Incident } from "../../src/store/incident-records.ts";
import { type HealthQuery, type HealthRow, LATENCY_BOUNDS_MS } from "../../src/store/usage-records.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const nowMs = Date.parse("2026-11-21T12:10:00Z");

const row = (time: string, calls: number, failed: number, change: Partial<HealthRow> = {}): HealthRow => ({
  ...{ time, service: "farkle", part: "calls", calls, failed, refused: 0, latency: [] },
  ...change,
});

function begin(
  rows: Readonly<Record<HealthQuery["by"], readonly HealthRow[]>> = { day: [], hour: [] },
  incidents: readonly Incident[] = [],
) {
  const clock = createManualClock({ nowMs });
  const state = { reads: [] as HealthQuery[], isAway: false };
  const healthRows = async (query: HealthQuery): Promise<readonly HealthRow[]> => {
    state.reads.push(query);
    if (state.isAway) {
      throw new Error("away");
    }
    return rows[query.by];
  };
  return { clock, state, read: createStatusReader({ store: { healthRows, incidents: async () => incidents }, clock }) };
}

test("it is about the last 90 days, and about this hour and the one before", async () => {
  const { read, state } = begin();
  const { fromDay, services } = await read();
  expect(fromDay).toBe("2026-08-24");
  expect(state.reads).toEqual([
    { fromHour: "2026-08-24", by: "day" },
    { fromHour: "2026-11-21T11", by: "hour" },
  ]);
  const quiet = { condition: "quiet", availability: undefined, medianMs: undefined, p95Ms: undefined, days: [] };
  expect(services.map(({ service, calls, source }) => [service, calls, source])).toEqual([
    ["radio", quiet, quiet],
    ["token-price", quiet, quiet],
    ["token-list", quiet, quiet],
    ["bitcoin", quiet, quiet],
    ["farkle", quiet, undefined],
  ]);
});

test("availability is the share of calls that did not fail, in all days together and on each of them", async () => {
  const { read } = begin({
    day: [
      row("2026-11-19", 1000, 10, { latency: [1000] }),
      row("2026-11-20", 0, 0, { latency: [] }),
      row("2026-11-21", 3000, 0, { latency: [0, 3000] }),
      row("2026-11-21", 10, 10, { service: "radio" }),
      row("2026-11-21", 10, 5, { service: "radio", part: "source" }),
    ],
    hour: [],
  });
  const { services } = await read();
  expect(services.find(({ service }) => service === "farkle")?.calls).toEqual({
    condition: "quiet",
    availability: 0.9975,
    medianMs: 6.7,
    p95Ms: 9.7,
    days: [
      { day: "2026-11-19", availability: 0.99, medianMs: 2.5 },
      { day: "2026-11-21", availability: 1, medianMs: 7.5 },
    ],
  });
  const radio = services.find(({ service }) => service === "radio");
  expect([radio?.calls.availability, radio?.source?.availability]).toEqual([0, 0.5]);
});

test.each([
  { calls: 1000, failed: 0, condition: "operational" },
  { calls: 1000, failed: 10, condition: "operational" },
  { calls: 1000, failed: 11, condition: "degraded" },
  { calls: 1000, failed: 100, condition: "degraded" },
  { calls: 1000, failed: 101, condition: "failing" },
  { calls: 26, failed: 2, condition: "operational" },
  { calls: 26, failed: 4, condition: "operational" },
  { calls: 100, failed: 5, condition: "degraded" },
  { calls: 26, failed: 5, condition: "failing" },
  { calls: 4, failed: 2, condition: "operational" },
  { calls: 4, failed: 3, condition: "failing" },
  { calls: 0, failed: 0, condition: "quiet" },
])("with $failed of $calls calls failed lately, it is $condition", async ({ calls, failed, condition }) => {
  const { read } = begin({ day: [], hour: [row("2026-11-21T11", calls / 2, 0), row("2026-11-21T12", calls / 2, failed)] });
  expect((await read()).services.at(-1)?.calls.condition).toBe(condition);
});

test("incidents that are open or scheduled come first, and at most 50 that have ended", async () => {
  const incident = (id: string, endsAtMs: number | null): Incident => ({
    ...{ id, title: "Slow", impact: "degraded", services: [], beginsAtMs: nowMs - 1000, endsAtMs, createdAtMs: nowMs },
    updates: [],
  });
  const ended = Array.from({ length: 60 }, (_, index) => incident(`ended-${index}`, nowMs - index));
  const { read } = begin(undefined, [...ended, incident("open", null), incident("scheduled", nowMs + 1)]);
  const ids = (await read()).incidents.map(({ id }) => id);
  expect([ids.length, ids[0], ids[1], ids[2], ids.at(-1)]).toEqual([52, "open", "scheduled", "ended-0", "ended-49"]);
});

test("however many requests arrive, the database is read twice a minute, by one at a time", async () => {
  const { read, state, clock } = begin();
  await Promise.all(Array.from({ length: 100 }, () => read()));
  clock.advance(29_999);
  await read();
  expect(state.reads).toHaveLength(2);
  clock.advance(1);
  await Promise.all([read(), read()]);
  expect(state.reads).toHaveLength(4);
});

test("while the database is down, the last status is used; without it, the failure is the caller's", async () => {
  const { read, state, clock } = begin();
  state.isAway = true;
  await expect(read()).rejects.toThrow("away");
  state.isAway = false;
  const first = await read();
  state.isAway = true;
  clock.advance(60_000);
  expect(await read()).toBe(first);
});

test.each([
  { latency: [], share: 0.5, ms: undefined },
  { latency: [0, 0], share: 0.5, ms: undefined },
  { latency: [10], share: 0.5, ms: 2.5 },
  { latency: [10], share: 1, ms: 5 },
  { latency: [50, 50], share: 0.5, ms: 5 },
  { latency: [50, 50], share: 0.75, ms: 7.5 },
  { latency: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3], share: 0.5, ms: 30_000 },
])("of $latency, a share of $share took at most $ms ms", ({ latency, share, ms }) => {
  expect(latencyQuantileMs(latency, LATENCY_BOUNDS_MS, share)).toBe(ms);
});

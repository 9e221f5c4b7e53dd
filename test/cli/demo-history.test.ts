// The invented history of the sandbox's customer: no hour of the last day is empty, months are charged for it, and real calls stay as they
// are.
import { expect, onTestFinished, test } from "vitest";
import { latencyHistory } from "../../src/account/latency-history.ts";
import { usageHistory } from "../../src/account/usage-history.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { hasUpstreams, SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { DEMO_HISTORY_DAYS, fillDemoHistory } from "../../src/cli/demo-history.ts";
import { openStore } from "../../src/store/open.ts";
import { HEALTH_KEPT_DAYS, type UsageDimension } from "../../src/store/usage-records.ts";
import { DATA_METHODS } from "../fixtures/data-services.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../fixtures/migrated-data.ts";
import { newBatch } from "../fixtures/new-batch.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// A Wednesday.
const NOW_MS = Date.UTC(2026, 10, 18, 14, 20);
const plans = loadPlans(undefined);

// Repeatable, and spread over [0, 1).
function createRandomness() {
  let drawn = 0;
  let ids = 0;
  return {
    unit: () => (++drawn * 0.618_033_988_75) % 1,
    uuid: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`,
  };
}

async function open() {
  const clock = createManualClock({ nowMs: NOW_MS });
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "command" });
  onTestFinished(() => store.close());
  await store.createAccount({ id: "a-1", name: "demo", email: null });
  await store.createSubscription({ id: "s-1", accountId: "a-1", service: "radio", plan: "mega", state: "active" });
  await store.createSubscription({ id: "s-2", accountId: "a-1", service: "farkle", plan: "mega", state: "active" });
  const deps = { store, plans, clock, randomness: createRandomness(), unspent: () => 0 };
  return { ...deps, fill: () => fillDemoHistory(deps, { accountId: "a-1", keyId: "k-1", keyLastFour: "1234" }) };
}

const history = async (deps: Awaited<ReturnType<typeof open>>, groupBy: readonly UsageDimension[], fromDay: string) =>
  usageHistory(deps, "a-1", { groupBy, fromDay, limit: 10_000, offset: 0 });

test("has calls in each of the kept hours and days", async () => {
  const deps = await open();
  await deps.fill();
  const { rows: hours } = await history(deps, ["hour"], "2026-11-11");
  expect(hours.map(({ hour }) => hour)).toEqual(
    Array.from({ length: 7 * 24 + 15 }, (_, index) => new Date(Date.UTC(2026, 10, 11, index)).toISOString().slice(0, 13)),
  );
  const { rows: days } = await history(deps, ["day"], "2026-09-01");
  expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([DEMO_HISTORY_DAYS + 1, "2026-10-04", "2026-11-18"]);
  // Plausible: most calls succeed, some do not, and afternoons are busier than nights.
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  const failed = days.reduce((sum, day) => sum + day.failed, 0) / calls;
  expect([failed > 0.001, failed < 0.05]).toEqual([true, true]);
  const callsAt = (hour: string): number => hours.find((row) => row.hour === hour)?.calls ?? 0;
  expect(callsAt("2026-11-17T15")).toBeGreaterThan(3 * callsAt("2026-11-17T03"));
});

test("has response times of each service in each hour with calls, about as many as there were calls", async () => {
  const deps = await open();
  await deps.fill();
  const page = { groupBy: ["hour", "service"], fromDay: "2026-11-12", limit: 10_000, offset: 0 } as const;
  const { rows } = await latencyHistory(deps, "a-1", page);
  const { rows: calls } = await history(deps, ["hour", "service"], "2026-11-12");
  expect(rows.length).toBe(calls.length);
  for (const { hour, service, calls: measured } of rows) {
    const made = calls.find((row) => row.hour === hour && row.service === service)?.calls ?? 0;
    expect(Math.abs(measured - made)).toBeLessThanOrEqual(4);
  }
  const { rows: services } = await latencyHistory(deps, "a-1", { ...page, groupBy: ["service"] });
  const medians = Object.fromEntries(services.map(({ service, medianMs }) => [service, medianMs]));
  expect([medians.farkle ?? 9, medians.radio ?? 0, medians["token-price"] ?? 0]).toEqual([
    expect.toSatisfy((ms: number) => ms < 1),
    expect.toSatisfy((ms: number) => ms > 20 && ms < 80),
    expect.toSatisfy((ms: number) => ms > 50 && ms < 200),
  ]);
});

test("has a few calls of each hour of the last seven days in the log, of every outcome that was counted then", async () => {
  const deps = await open();
  await deps.fill();
  const all = { before: undefined, requestId: undefined, keyId: undefined, service: undefined, method: undefined } as const;
  const page = {
    ...all,
    accountId: "a-1",
    limit: 10_000,
    outcome: undefined,
    result: undefined,
    sinceMs: undefined,
    untilMs: undefined,
  };
  const { calls } = await deps.store.callPage(page);
  const hourOf = (ms: number): string => new Date(ms).toISOString().slice(0, 13);
  const fromMs = NOW_MS - 7 * DAY_MS;
  const hours = Array.from({ length: 7 * 24 }, (_, index) => hourOf(Math.ceil(fromMs / HOUR_MS) * HOUR_MS + index * HOUR_MS));
  expect([...new Set(calls.map(({ startedAtMs }) => hourOf(startedAtMs)))].sort()).toEqual(hours);
  expect(calls.every(({ startedAtMs, keyLastFour }) => startedAtMs <= NOW_MS && keyLastFour === "1234")).toBe(true);
  const { rows } = await history(deps, ["service", "outcome"], "2026-11-12");
  const logged = new Set(calls.map(({ service, outcome }) => `${service} ${outcome}`));
  expect(rows.map(({ service, outcome }) => `${service} ${outcome}`).filter((counted) => !logged.has(counted))).toEqual([]);
  expect(calls.filter(({ outcome, isRefused }) => isRefused !== (outcome === "RATE_LIMITED"))).toEqual([]);
  await deps.fill();
  expect((await deps.store.callPage(page)).calls.length).toBe(calls.length);
});

test("charges the month for its calls, and leaves most of the quota", async () => {
  const deps = await open();
  await deps.fill();
  const { standings } = await history(deps, ["service"], "2026-11-01");
  expect(standings.map(({ service }) => service)).toEqual(["radio", "farkle"]);
  for (const { counted, leased, remaining = 0, callsPerMonth = 0 } of standings) {
    expect([leased, counted > 0, remaining > callsPerMonth / 2]).toEqual([counted, true, true]);
  }
});

test("changes nothing when the sandbox is started again, or has had real calls", async () => {
  const deps = await open();
  await deps.fill();
  const before = await history(deps, ["hour", "service"], "2026-11-12");
  deps.clock.advance(DAY_MS);
  await deps.fill();
  expect(await history(deps, ["hour", "service"], "2026-11-12")).toMatchObject({ rows: before.rows });
  const used = await open();
  const real = { accountId: "a-1", keyId: "k-1", service: "farkle", method: "m", outcome: "OK", calls: 3 } as const;
  await used.store.addUsage([{ ...real, day: "2026-11-18", hour: 9 }], newBatch());
  await used.fill();
  expect((await history(used, ["hour"], "2026-11-12")).rows.map(({ hour, calls }) => [hour, calls])).toEqual([
    ["2026-11-18T09", 3],
  ]);
  expect(await used.store.healthRows({ fromHour: "2026-01-01", by: "hour" })).toEqual([]);
});

test("measures every service and its source on each day of the status page, and agrees with the usage of the last day", async () => {
  const deps = await open();
  await deps.fill();
  const days = await deps.store.healthRows({ fromHour: "2026-01-01", by: "day" });
  const subjects = SERVICE_NAMES.flatMap((service) => [
    `${service} calls`,
    ...(hasUpstreams(service) ? [`${service} source`] : []),
  ]);
  const first = Date.UTC(2026, 10, 18) - (HEALTH_KEPT_DAYS - 1) * DAY_MS;
  const expected = Array.from({ length: HEALTH_KEPT_DAYS }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  );
  for (const subject of subjects) {
    const own = days.filter(({ service, part }) => `${service} ${part}` === subject);
    expect([subject, own.map(({ time }) => time)]).toEqual([subject, expected]);
    const calls = own.reduce((sum, day) => sum + day.calls, 0);
    expect(own.reduce((sum, day) => sum + day.failed, 0) / calls).toBeLessThan(0.01);
    expect(own.reduce((sum, day) => sum + day.latency.reduce((all, count) => all + count), 0)).toBeGreaterThan(0.9 * calls);
  }
  const hours = await deps.store.healthRows({ fromHour: "2026-11-17T15", by: "hour" });
  const { rows } = await history(deps, ["hour", "service"], "2026-11-17");
  const measured = hours.filter(({ part }) => part === "calls").map(({ time, service, calls }) => [time, service, calls]);
  const counted = rows.filter(({ hour = "" }) => hour >= "2026-11-17T15").map(({ hour, service, calls }) => [hour, service, calls]);
  expect(measured.sort()).toEqual(counted.sort());
});

test("shows no service as degraded right after the start", async () => {
  const deps = await open();
  await deps.fill();
  const recent = await deps.store.healthRows({ fromHour: "2026-11-18T13", by: "hour" });
  expect(recent.filter(({ failed }) => failed > 0)).toEqual([]);
});

test("has only methods that exist", async () => {
  const deps = await open();
  await deps.fill();
  const { rows } = await history(deps, ["service", "method"], "2026-11-12");
  const names = new Set(rows.map(({ method }) => method));
  expect([...names].filter((name) => !DATA_METHODS.some(({ path }) => path === `/${name}`))).toEqual([]);
  expect(names.size).toBeGreaterThanOrEqual(5);
  expect([...new Set(rows.map(({ service }) => service))].sort()).toEqual([...SERVICE_NAMES].sort());
});

// Making room for new subscriptions: unused ones are evicted, without harm to the store or to their leases.
import { expect, test } from "vitest";
import { DEFAULT_GUARD_LIMITS } from "../../../src/guard/guard-limits.ts";
import { createLeaseOwner } from "../../../src/guard/lease-owner.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { MemoryStore } from "../memory-store.ts";
import { createMemoryLog, NOON_MS, radioPlan, settled } from "../scene.ts";

const plan = radioPlan("free", 1000);

/** An owner at its maximum of subscriptions, each with a lease of one call, unused for a minute. */
async function full(subscriptionsMax: number) {
  const clock = createManualClock({ nowMs: NOON_MS });
  const store = new MemoryStore();
  const log = createMemoryLog();
  const limits = { ...DEFAULT_GUARD_LIMITS, subscriptionsMax };
  const owner = createLeaseOwner({ store, clock, log, limits, threads: 1 });
  for (let index = 0; index < subscriptionsMax; index++) {
    await owner.allowances.of(`acme ${index}`, `sub-${index}`, plan)?.awaitStatus();
  }
  clock.advance(60_000);
  store.requested.length = 0;
  return { clock, store, log, ...owner };
}

const makeRoom = ({ allowances }: Awaited<ReturnType<typeof full>>, names: readonly string[]): readonly boolean[] =>
  names.map((name) => allowances.of(name, name, plan) !== undefined);

test("a bounded number is evicted at a time, and more when that room is used too", async () => {
  const owner = await full(100);
  owner.store.fault = "silent";
  const newcomers = Array.from({ length: 33 }, (_, index) => `new ${index}`);
  expect(makeRoom(owner, newcomers.slice(0, 32))).toEqual(Array.from({ length: 32 }, () => true));
  expect(owner.store.requested).toEqual(Array.from({ length: 32 }, () => "returnCalls 2026-11 1"));
  expect(makeRoom(owner, newcomers.slice(32))).toEqual([true]);
  expect(owner.store.requested).toHaveLength(64);
});

test("none is evicted while the store is down, because its lease could not be returned", async () => {
  const owner = await full(1);
  owner.store.fault = "down";
  await owner.breaker.run(() => owner.store.findCredential("")).catch(() => {});
  expect(makeRoom(owner, ["new"])).toEqual([false]);
  owner.store.fault = "none";
  await owner.breaker.run(() => owner.store.findCredential(""));
  expect(makeRoom(owner, ["new"])).toEqual([true]);
  await settled();
  expect(owner.store.leased.get("sub-0 2026-11")).toBe(0);
});

test("subscriptions unused for a second are evicted, and a lack of room is logged once in ten seconds", async () => {
  const owner = await full(2);
  const { clock, log } = owner;
  expect(makeRoom(owner, ["new 0", "new 1", "new 2", "new 3"])).toEqual([true, true, false, false]);
  const warnings = () => log.lines.filter((line) => line === noRoom);
  const noRoom = "More subscriptions are in use at the same time than fit in memory; calls on the others are refused";
  expect(warnings()).toHaveLength(1);
  clock.advance(999);
  expect(makeRoom(owner, ["new 2"])).toEqual([false]);
  clock.advance(101);
  await settled();
  // One of the two is used again, so it stays.
  const used = owner.allowances.of("new 0", "new 0", plan);
  expect(owner.allowances.current("new 0")).toBe(used);
  expect(makeRoom(owner, ["new 2", "new 3"])).toEqual([true, false]);
  expect(owner.allowances.current("new 0")).toBe(used);
  clock.advance(10_000);
  await settled();
  expect(makeRoom(owner, ["new 4", "new 5", "new 6"])).toEqual([true, true, false]);
  expect(warnings()).toHaveLength(2);
});

test("ten thousand leases are returned together when a server stops", async () => {
  const owner = await full(10_000);
  await owner.close(1000);
  expect([...owner.store.leased.values()].reduce((sum, calls) => sum + calls, 0)).toBe(0);
  expect(owner.log.lines).toEqual([]);
});

test("a stop takes no longer than allowed, and logs how many leases were lost", async () => {
  const owner = await full(3000);
  owner.store.fault = "silent";
  const closing = owner.close(500);
  await settled();
  owner.clock.advance(500);
  await closing;
  expect(owner.log.lines).toEqual(["There was no time to return all leases; what is left of them is lost"]);
});

test("the busiest subscriptions have a first lease, and no more, before their first call", async () => {
  const clock = createManualClock({ nowMs: NOON_MS });
  const store = new MemoryStore();
  const big = radioPlan("free", 100_000);
  const owner = createLeaseOwner({ store, clock, log: createMemoryLog(), limits: DEFAULT_GUARD_LIMITS, threads: 1 });
  store.busiest.push({ id: "sub-1", accountId: "acme", terms: big });
  await owner.loadBusiest();
  await settled();
  expect(store.requested).toEqual(["busiestSubscriptions 2026-11 1000", "lease 2026-11 100"]);
  const allowance = owner.allowances.current("acme/radio");
  for (let left = 99; left >= 50; left--) {
    expect(allowance?.spend(owner.calendar.today())?.left).toBe(left);
  }
  clock.advance(1000);
  await settled();
  expect(store.requested).toHaveLength(2);
  expect(allowance?.spend(owner.calendar.today())?.left).toBe(49);
  clock.advance(1000);
  await settled();
  expect(store.requested.slice(2)).toEqual(["lease 2026-11 951"]);
});

test("a start neither waits for a silent store nor fails if it is down", async () => {
  const clock = createManualClock({ nowMs: NOON_MS });
  const store = new MemoryStore();
  const log = createMemoryLog();
  const owner = createLeaseOwner({ store, clock, log, limits: DEFAULT_GUARD_LIMITS, threads: 1 });
  store.fault = "silent";
  const loading = owner.loadBusiest();
  await settled();
  clock.advance(2000);
  await loading;
  store.fault = "down";
  await owner.loadBusiest();
  expect(log.lines).toContain("The busiest subscriptions could not be loaded");
});

// How room is made for new subscriptions where there is none: by those that are not used, and at no risk to the store or to what they hold.
import { expect, test } from "vitest";
import { defaultGuardLimits } from "../../src/guard/guard-limits.ts";
import { createLeaseOwner } from "../../src/guard/lease-owner.ts";
import { createManualClock } from "../manual-clock.ts";
import { MemoryStore } from "./memory-store.ts";
import { createMemoryLog, noonMs, radioPlan, settled } from "./scene.ts";

const plan = radioPlan("free", 1000);

/** An owner whose room is used up by as many subscriptions, each with a lease of ten calls that nobody has spent for a minute. */
async function full(subscriptionsMax: number) {
  const clock = createManualClock({ nowMs: noonMs });
  const store = new MemoryStore();
  const limits = { ...defaultGuardLimits, subscriptionsMax };
  const owner = createLeaseOwner({ store, clock, log: createMemoryLog(), limits, threads: 1 });
  for (let index = 0; index < subscriptionsMax; index++) {
    await owner.allowances.of(`acme ${index}`, `sub-${index}`, plan)?.learn();
  }
  clock.advance(60_000);
  store.asked.length = 0;
  return { clock, store, ...owner };
}

const makeRoom = ({ allowances }: Awaited<ReturnType<typeof full>>, names: readonly string[]): readonly boolean[] =>
  names.map((name) => allowances.of(name, name, plan) !== undefined);

test("only so many make way at a time, and more when that room is used up too", async () => {
  const owner = await full(100);
  owner.store.fault = "silent";
  const newcomers = Array.from({ length: 33 }, (_, index) => `new ${index}`);
  expect(makeRoom(owner, newcomers.slice(0, 32))).toEqual(Array.from({ length: 32 }, () => true));
  expect(owner.store.asked).toEqual(Array.from({ length: 32 }, () => "giveBack 2026-11 10"));
  expect(makeRoom(owner, newcomers.slice(32))).toEqual([true]);
  expect(owner.store.asked).toHaveLength(64);
});

test("nobody makes way while the store is dead, for what they hold could not be given back", async () => {
  const owner = await full(1);
  owner.store.fault = "down";
  await owner.breaker.ask(() => owner.store.findCredential("")).catch(() => {});
  expect(makeRoom(owner, ["new"])).toEqual([false]);
  owner.store.fault = "none";
  await owner.breaker.ask(() => owner.store.findCredential(""));
  expect(makeRoom(owner, ["new"])).toEqual([true]);
  await settled();
  expect(owner.store.leased.get("sub-0 2026-11")).toBe(0);
});

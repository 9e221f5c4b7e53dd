// Leases that run low are refilled together, and those that are about to run out at once.
import { expect, test } from "vitest";
import { DEFAULT_GUARD_LIMITS as limits } from "../../../src/guard/guard-limits.ts";
import { createLeaseOwner } from "../../../src/guard/lease-owner.ts";
import type { Allowance } from "../../../src/guard/quota/allowances.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { MemoryStore } from "../memory-store.ts";
import { createMemoryLog, NOON_MS, radioPlan, settled } from "../scene.ts";

const plan = radioPlan("free", 10_000);

/** An owner with full leases of a hundred calls. */
async function owned(subscriptions: number) {
  const clock = createManualClock({ nowMs: NOON_MS });
  const store = new MemoryStore();
  const owner = createLeaseOwner({ store, clock, log: createMemoryLog(), limits, threads: 1 });
  const day = owner.calendar.today();
  const allowances: Allowance[] = [];
  for (let index = 0; index < subscriptions; index++) {
    const allowance = owner.allowances.of(`acme-${index}/radio`, `sub-${index}`, plan) as Allowance;
    await allowance.awaitStatus();
    allowance.refill();
    for (let calls = 0; calls < 10; calls++) {
      allowance.spend(day);
    }
    await settled();
    allowances.push(allowance);
  }
  clock.advance(1000);
  await settled();
  store.requested.length = 0;
  const spendTo = (allowance: Allowance | undefined, left: number): void => {
    while (allowance?.spend(day)?.left !== left) {
      // One after another.
    }
  };
  return { ...owner, clock, store, allowances, spendTo, day };
}

test("leases that run low wait a second for each other", async () => {
  const { allowances, spendTo, clock, store, day } = await owned(3);
  expect(allowances.map((allowance) => allowance.left(day))).toEqual([100, 100, 100]);
  spendTo(allowances[0], 49);
  clock.advance(600);
  spendTo(allowances[1], 40);
  spendTo(allowances[2], 50);
  clock.advance(399);
  await settled();
  expect(store.requested).toEqual([]);
  clock.advance(1);
  await settled();
  expect(store.requested).toEqual(["lease 2026-11 51", "lease 2026-11 60"]);
  expect(clock.pending).toBe(0);
});

test("a lease that is almost spent is refilled at once, and the others with it", async () => {
  const { allowances, spendTo, clock, store } = await owned(3);
  spendTo(allowances[0], 49);
  spendTo(allowances[1], 25);
  await settled();
  expect(store.requested).toEqual([]);
  spendTo(allowances[1], 24);
  await settled();
  expect(store.requested.toSorted()).toEqual(["lease 2026-11 51", "lease 2026-11 76"]);
  clock.advance(5000);
  await settled();
  expect([store.requested.length, clock.pending]).toEqual([2, 0]);
});

test("a call that waits for the store refills the others too", async () => {
  const { allowances, spendTo, store } = await owned(2);
  spendTo(allowances[0], 49);
  spendTo(allowances[1], 0);
  await settled();
  expect(store.requested.toSorted()).toEqual(["lease 2026-11 100", "lease 2026-11 51"]);
});

test("no lease waits any more when the server stops, and all is returned", async () => {
  const { allowances, spendTo, clock, store, close } = await owned(1);
  spendTo(allowances[0], 49);
  await close(1000);
  expect([store.leased.get("sub-0 2026-11"), clock.pending]).toEqual([61, 0]);
});

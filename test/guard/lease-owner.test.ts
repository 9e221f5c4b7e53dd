// What the owner of the leases does while other threads work on the memory that it fills.
import { expect, test } from "vitest";
import { defaultGuardLimits as limits } from "../../src/guard/guard-limits.ts";
import { createLeaseOwner } from "../../src/guard/lease-owner.ts";
import { SlotLease } from "../../src/guard/slot-lease.ts";
import { createManualClock } from "../manual-clock.ts";
import { MemoryStore } from "./memory-store.ts";
import { createMemoryLog, noonMs, radioPlan, settled } from "./scene.ts";

test("a lease that another thread fills in the moment in which more is to be asked for is filled again later", async () => {
  const clock = createManualClock({ nowMs: noonMs });
  const store = new MemoryStore();
  const owner = createLeaseOwner({ store, clock, log: createMemoryLog(), limits, threads: 2 });
  const allowance = owner.allowances.of("acme radio", "sub-1", radioPlan("free", 1000));
  if (allowance === undefined) {
    throw new Error("There is no room.");
  }
  await allowance.learn();
  const day = owner.calendar.today();
  const other = new SlotLease(owner.memory.slots, allowance.slot, allowance.generation);
  const taken = Array.from({ length: 5 }, () => other.spend(day));
  const admits = owner.breaker.admits.bind(owner.breaker);
  // The last that is done before the store is asked.
  owner.breaker.admits = () => {
    for (const spent of taken.splice(0)) {
      other.refund(spent?.term ?? -1, 1);
    }
    return admits();
  };
  expect(allowance.spend(day)?.left).toBe(4);
  expect(other.left(day)).toBe(9);
  await settled();
  expect(store.asked).toEqual(["lease 2026-11 1", "lease 2026-11 9"]);
  while (other.spend(day) !== undefined) {
    // Nothing is left for the next one.
  }
  const later = allowance.spendLater();
  await settled();
  clock.advance(limits.callerWaitMs);
  expect(await later).toMatchObject({ day, slot: allowance.slot });
});

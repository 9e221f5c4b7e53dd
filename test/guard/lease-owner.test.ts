// The owner of the leases, while other threads use the same memory.
import { expect, test } from "vitest";
import { DEFAULT_GUARD_LIMITS as limits } from "../../src/guard/guard-limits.ts";
import { createLeaseOwner } from "../../src/guard/lease-owner.ts";
import { SlotLease } from "../../src/guard/quota/slot-lease.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { MemoryStore } from "./memory-store.ts";
import { createMemoryLog, NOON_MS, radioPlan, settled } from "./scene.ts";

test("a lease that another thread returns calls to just before the store request is refilled later", async () => {
  const clock = createManualClock({ nowMs: NOON_MS });
  const store = new MemoryStore();
  const owner = createLeaseOwner({ store, clock, log: createMemoryLog(), limits, threads: 2 });
  const allowance = owner.allowances.of("acme radio", "sub-1", radioPlan("free", 1000));
  if (allowance === undefined) {
    throw new Error("There is no room.");
  }
  await allowance.awaitStatus();
  const day = owner.calendar.today();
  const other = new SlotLease(owner.memory.slots, allowance.slot, allowance.generation);
  other.spend(day);
  allowance.refill();
  await settled();
  const taken = Array.from({ length: 7 }, () => other.spend(day));
  const admits = owner.breaker.admits.bind(owner.breaker);
  // The last step before the request to the store.
  owner.breaker.admits = () => {
    for (const spent of taken.splice(0)) {
      other.refund(spent?.leaseId ?? -1, 1);
    }
    return admits();
  };
  expect(allowance.spend(day)?.left).toBe(2);
  expect(other.left(day)).toBe(9);
  await settled();
  expect(store.requested).toEqual(["lease 2026-11 1", "lease 2026-11 10"]);
  while (other.spend(day) !== undefined) {
    // Nothing is left for the next call.
  }
  const later = allowance.spendLater();
  await settled();
  clock.advance(limits.callerWaitMs);
  expect(await later).toMatchObject({ day, slot: allowance.slot });
});

test("the status of a month is available at once if it is already known", async () => {
  const clock = createManualClock({ nowMs: NOON_MS });
  const owner = createLeaseOwner({ store: new MemoryStore(), clock, log: createMemoryLog(), limits, threads: 2 });
  const allowance = owner.allowances.of("acme radio", "sub-1", radioPlan("free", 1000));
  await allowance?.awaitStatus();
  let hasResponded = false;
  void allowance?.awaitStatus().then(() => {
    hasResponded = true;
  });
  await settled();
  expect(hasResponded).toBe(true);
});

test("a late grant of a past month does not replace calls being returned to the current month", async () => {
  const clock = createManualClock({ nowMs: Date.UTC(2026, 11, 1) - 1000 });
  const store = new MemoryStore();
  const owner = createLeaseOwner({ store, clock, log: createMemoryLog(), limits, threads: 2 });
  const allowance = owner.allowances.of("acme radio", "sub-1", radioPlan("free", 1000));
  store.fault = "silent";
  void allowance?.awaitStatus();
  await settled();
  clock.advance(limits.storeTimeoutMs);
  await settled();
  // Three calls charged under another plan, while the store counts as down.
  const anotherLease = 1;
  allowance?.refund(owner.calendar.today(), anotherLease, 3);
  store.release();
  await settled();
  expect(store.requested).toEqual(["lease 2026-11 1", "returnCalls 2026-12 3", "lease 2026-12 1"]);
});

test("threads can request a refill again after a thread died with a request that it may not have sent", async () => {
  const clock = createManualClock({ nowMs: NOON_MS });
  const owner = createLeaseOwner({ store: new MemoryStore(), clock, log: createMemoryLog(), limits, threads: 2 });
  const allowance = owner.allowances.of("acme radio", "sub-1", radioPlan("free", 1000));
  await allowance?.awaitStatus();
  const dead = new SlotLease(owner.memory.slots, allowance?.slot ?? -1, allowance?.generation ?? -1);
  expect(dead.requestRefill(false)).toBe(true);
  owner.allowances.refundAll(owner.inFlight.takeAll(1));
  const other = new SlotLease(owner.memory.slots, dead.slot, dead.generation);
  expect(other.requestRefill(false)).toBe(true);
});

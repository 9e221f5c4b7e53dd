import { describe, expect, test } from "vitest";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { SlotLease } from "../../../src/guard/quota/slot-lease.ts";
import { dayAt } from "../../../src/runtime/calendar.ts";
import { NOON_MS } from "../scene.ts";

const november = dayAt(NOON_MS);
const december = dayAt(Date.UTC(2026, 11, 1));

function claimed() {
  const table = new SlotTable(1);
  const slot = table.take() ?? -1;
  const lease = SlotLease.claim(table.words, slot);
  // As seen by another thread that knows the slot.
  const other = new SlotLease(table.words, slot, lease.generation);
  return { table, slot, lease, other };
}

/** A lease with that many calls for November. */
function leaseOf(calls: number): SlotLease {
  const { lease } = claimed();
  lease.noteGranted(november, calls, 100, 1);
  return lease;
}

describe("the calls of a lease", () => {
  test("are spent exactly to the last one", () => {
    const lease = leaseOf(2);
    expect([1, 2, 3, 4].map(() => lease.spend(november)?.left)).toEqual([1, 0, undefined, undefined]);
    expect(lease.left(november)).toBe(0);
  });

  test("can be used in their own month only", () => {
    const lease = leaseOf(2);
    expect([lease.spend(december), lease.left(december), lease.shrink(december, 0)]).toEqual([undefined, 0, 0]);
    expect(lease.refund(lease.leaseIdOf(december), 1)).toBe(0);
    expect(lease.left(november)).toBe(2);
  });

  test("can be refunded, even to a lease that is empty", () => {
    const lease = leaseOf(1);
    lease.spend(november);
    expect(lease.refund(lease.leaseIdOf(november), 1)).toBe(1);
    expect(lease.spend(november)?.left).toBe(0);
  });

  test("are more after a grant for their month, and replaced by a grant for another month", () => {
    const lease = leaseOf(2);
    lease.noteGranted(november, 3, 100, 1);
    expect(lease.left(november)).toBe(5);
    lease.noteGranted(december, 4, 100, 1);
    expect([lease.left(november), lease.left(december)]).toEqual([0, 4]);
  });

  test("that exceed a limit are taken out", () => {
    const lease = leaseOf(10);
    expect([lease.shrink(november, 7), lease.shrink(november, 7), lease.left(november)]).toEqual([3, 0, 7]);
  });
});

test("a freed slot is reused, empty", () => {
  const table = new SlotTable(2);
  const slots = [table.take(), table.take(), table.take()];
  SlotLease.claim(table.words, 0).noteGranted(november, 5, 100, 1);
  table.free(0);
  const reused = table.take() ?? -1;
  expect([slots, reused, SlotLease.claim(table.words, reused).left(november)]).toEqual([[0, 1, undefined], 0, 0]);
});

describe("a lease in a slot", () => {
  test("is spent and refunded by any thread that knows its generation", () => {
    const { slot, lease, other } = claimed();
    lease.noteGranted(november, 2, 100, 5);
    const spent = other.spend(november);
    expect(spent).toEqual({ day: november, left: 1, slot, leaseId: lease.leaseIdOf(november) });
    expect(other.refund(spent?.leaseId ?? -1, 1)).toBe(2);
    expect([lease.left(november), other.monthRemaining(november)]).toEqual([2, 102]);
  });

  test("tells all threads when it is low, and when a refill request is worthwhile", () => {
    const { lease, other } = claimed();
    expect([other.needsMore(november), other.monthRemaining(november)]).toEqual([true, undefined]);
    lease.noteGranted(november, 6, 100, 5);
    const low = [0, 1, 2].map(() => {
      const spent = other.spend(november);
      return spent && other.isLow(spent);
    });
    expect(low).toEqual([false, true, true]);
    lease.noteGranted(november, 0, 0, 1);
    lease.noteExhausted(november, 3, 10_000);
    const spent = other.spend(november);
    expect(spent && other.isLow(spent)).toBe(false);
    expect([other.exhaustedEpoch(november), other.exhaustedEpoch(december), other.needsMore(november)]).toEqual([
      3,
      undefined,
      false,
    ]);
    lease.noteReturned(november, 4);
    expect([other.exhaustedEpoch(november), other.unleased(november)]).toEqual([undefined, 4]);
  });

  test("cannot be spent under its former plan, and a refund of an earlier call is not lost", () => {
    const { lease, other } = claimed();
    lease.noteGranted(november, 10, 100, 1);
    const spent = other.spend(november);
    expect([lease.renew(november), other.isCurrent, lease.isCurrent]).toEqual([9, false, true]);
    lease.noteGranted(november, 5, 100, 1);
    expect([other.spend(november), other.monthRemaining(november)]).toEqual([undefined, undefined]);
    // 0: the lease is gone, so the caller has to return it elsewhere.
    expect(other.refund(spent?.leaseId ?? -1, 1)).toBe(0);
    expect(lease.left(november)).toBe(5);
  });

  test("cannot be spent by a thread that knows the slot's former subscription", () => {
    const { table, slot, lease, other } = claimed();
    lease.noteGranted(november, 10, 100, 1);
    lease.shrink(november, 0);
    table.free(slot);
    expect(other.isCurrent).toBe(false);
    const next = SlotLease.claim(table.words, table.take() ?? -1);
    next.noteGranted(november, 3, 50, 1);
    expect([next.slot, next.left(november), other.spend(november)]).toEqual([slot, 3, undefined]);
  });

  test("requests a refill from the owner once, and once more when it is urgent, until the owner has checked", () => {
    const { lease, other } = claimed();
    const requested = (...urgent: readonly boolean[]) => urgent.map((isUrgent) => other.requestRefill(isUrgent));
    expect(requested(false, false, true, true, false)).toEqual([true, false, true, false, false]);
    lease.clearRefillRequest();
    expect(requested(true, false)).toEqual([true, false]);
  });

  test("is almost spent when few calls are left of the number at which it is low", () => {
    const { lease } = claimed();
    const almostSpentAt = (lowWater: number) => {
      lease.noteGranted(november, 1, 100, lowWater);
      return [5, 4, 3, 2, 1, 0].find((left) => lease.isAlmostSpent(left));
    };
    expect([1, 2, 5, 10].map(almostSpentAt)).toEqual([0, 0, 2, 4]);
  });
});

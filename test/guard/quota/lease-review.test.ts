// Leases of quiet callers are compared with what is left of their quotas.
import { describe, expect, test } from "vitest";
import { DEFAULT_GUARD_LIMITS as limits } from "../../../src/guard/guard-limits.ts";
import { createLeaseOwner } from "../../../src/guard/lease-owner.ts";
import type { Allowance } from "../../../src/guard/quota/allowances.ts";
import { beginLeaseReviews } from "../../../src/guard/quota/lease-review.ts";
import type { Month } from "../../../src/runtime/calendar.ts";
import type { LeasedCalls } from "../../../src/store/records.ts";
import { StoreUnavailable } from "../../../src/store/store-errors.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { MemoryStore } from "../memory-store.ts";
import { createMemoryLog, NOON_MS, radioPlan, settled } from "../scene.ts";

const CALLS = 10_000;
const plan = radioPlan("free", CALLS);
const MONTH = "2026-11";

/** A node with leases of a hundred calls for each of this many subscriptions. Other nodes lease from the same store. */
async function quietNode(subscriptions = 1) {
  const clock = createManualClock({ nowMs: NOON_MS });
  const store = new MemoryStore();
  const log = createMemoryLog();
  const owner = createLeaseOwner({ store, clock, log, limits, threads: 1 });
  const compared: (readonly string[])[] = [];
  let fault: Error | undefined;
  const leasedCalls = async (ids: readonly string[], month: Month): Promise<readonly LeasedCalls[]> => {
    compared.push(ids);
    if (fault !== undefined) {
      throw fault;
    }
    return ids.map((subscriptionId) => ({
      subscriptionId,
      month,
      leased: store.leased.get(`${subscriptionId} ${month}`) ?? 0,
      credited: 0,
      raised: 0,
    }));
  };
  const end = beginLeaseReviews({ ...owner, store: { leasedCalls, leasedCapCalls: async () => [] }, clock, log });
  const day = owner.calendar.today();
  const allowances: (Allowance | undefined)[] = [];
  for (let index = 0; index < subscriptions; index++) {
    const allowance = owner.allowances.of(`acme-${index}/radio`, `sub-${index}`, plan);
    await allowance?.awaitStatus();
    for (let calls = 0; calls < 10; calls++) {
      allowance?.spend(day);
    }
    await settled();
    allowances.push(allowance);
  }
  const passed = async (ms: number): Promise<void> => {
    for (let stepMs = 0; stepMs < ms; stepMs += 5000) {
      clock.advance(5000);
      await settled();
    }
  };
  return {
    ...owner,
    end,
    clock,
    store,
    log,
    compared,
    passed,
    fail: (error: Error | undefined) => {
      fault = error;
    },
    left: () => allowances.map((allowance) => allowance?.left(owner.calendar.today())),
    /** Other nodes lease until this many calls of the first subscription are left. */
    leaseUntil: (unleased: number) => store.leased.set(`sub-0 ${MONTH}`, CALLS - unleased),
  };
}

describe("the lease of a quiet caller", () => {
  test.each([
    [9000, 100],
    [1000, 100],
    [500, 50],
    [12, 2],
    [0, 0],
  ])("when %i calls of the month are left for all nodes, keeps %i of its hundred", async (unleased, kept) => {
    const { left, leaseUntil, passed, store } = await quietNode();
    expect(left()).toEqual([100]);
    leaseUntil(unleased);
    await passed(295_000);
    expect(left()).toEqual([100]);
    await passed(5000);
    expect(left()).toEqual([kept]);
    expect(store.leased.get(`sub-0 ${MONTH}`)).toBe(CALLS - unleased - (100 - kept));
  });

  test("is a small one, too, when the caller calls again", async () => {
    const { left, leaseUntil, passed, allowances, calendar } = await quietNode();
    leaseUntil(12);
    await passed(300_000);
    const allowance = allowances.current("acme-0/radio");
    allowance?.spend(calendar.today());
    allowance?.spend(calendar.today());
    await settled();
    expect(left()).toEqual([11]);
  });

  test("is compared once in five minutes, and not if it was renewed since", async () => {
    const { compared, passed, allowances, calendar } = await quietNode();
    await passed(200_000);
    for (let calls = 0; calls < 90; calls++) {
      allowances.current("acme-0/radio")?.spend(calendar.today());
    }
    await passed(295_000);
    expect(compared).toHaveLength(0);
    await passed(305_000);
    expect(compared).toEqual([["sub-0"]]);
    await passed(300_000);
    expect(compared).toHaveLength(2);
  });

  test("is compared together with others, and all have their turn in five minutes", async () => {
    const { compared, passed } = await quietNode(120);
    await passed(600_000);
    expect(new Set(compared.flat()).size).toBe(120);
    expect(Math.max(...compared.map((ids) => ids.length))).toBe(2);
  });

  test("is kept while the store fails, and compared when it responds again", async () => {
    const { left, leaseUntil, passed, compared, fail, log } = await quietNode();
    leaseUntil(0);
    fail(new StoreUnavailable("The store is down."));
    await passed(310_000);
    expect(compared.length).toBeGreaterThan(1);
    expect(left()).toEqual([100]);
    fail(undefined);
    await passed(5000);
    expect(left()).toEqual([0]);
    expect(log.lines).toEqual(["The store does not respond; calls are admitted from what is leased", "The store responds again"]);
  });

  test("is not compared after the end", async () => {
    const { end, passed, compared, clock } = await quietNode();
    await end();
    await passed(600_000);
    expect([compared.length, clock.pending]).toEqual([0, 0]);
  });
});

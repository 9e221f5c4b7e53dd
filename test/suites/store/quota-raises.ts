// Calls counted as used because a database lost its counts: never more than are left, and also for plans activated later.
import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/catalogue/plan.ts";
import type { QuotaRaise } from "../../../src/store/records.ts";
import { account, builtInPlan, type Openers, radio } from "./samples.ts";

const month = "2026-11";
const free = { callsPerMonth: 100, requestsPerSecond: 2 };
const plans: readonly Plan[] = [
  { ...builtInPlan("radio", "free"), ...free },
  { ...builtInPlan("radio", "pro"), callsPerMonth: 1000, requestsPerSecond: 10 },
];

const bySeconds = (seconds: number): QuotaRaise => ({ id: `r-${seconds}`, month, seconds, percent: 0 });
const byPercent = (percent: number): QuotaRaise => ({ id: `r-${percent}`, month, seconds: 0, percent });

/** The tests that every store passes. */
export function quotaRaisesSuite({ open, openEmpty }: Openers): void {
  describe("quota raises", () => {
    test.for([
      { what: "a plan's rate for a period, plus a tenth and a burst", raise: bySeconds(9), credited: 0, leased: 0, raised: 22 },
      { what: "no more than the plan has", raise: bySeconds(3600), credited: 0, leased: 0, raised: 100 },
      { what: "credited calls too", raise: bySeconds(3600), credited: 1000, leased: 0, raised: 1100 },
      { what: "what is left, if servers have leased calls", raise: bySeconds(3600), credited: 50, leased: 90, raised: 60 },
      { what: "nothing, if nothing is left", raise: bySeconds(3600), credited: 0, leased: 100, raised: 0 },
      { what: "a share of the plan's and the credited calls, rounded up", raise: byPercent(5), credited: 10, leased: 0, raised: 6 },
      { what: "all of them at 100 percent", raise: byPercent(100), credited: 10, leased: 7, raised: 103 },
    ])("a raise charges $what", async ({ raise, credited, leased, raised }) => {
      const { store } = await open();
      await store.createSubscription(radio);
      if (credited > 0) {
        await store.credit("s-1", month, credited);
      }
      await store.lease("s-1", month, 100, leased);
      expect(await store.chargeRaise(raise, free, "radio", ["a-1"])).toBe(raised);
      expect(await store.leasedCalls(["s-1"], month)).toEqual([
        { subscriptionId: "s-1", month, leased: leased + raised, credited, raised },
      ]);
    });

    test("each charges again, only for the given accounts, service and month", async () => {
      const { store } = await open();
      await store.createAccount({ id: "a-2", name: "other", email: null });
      await store.createSubscription(radio);
      await store.createSubscription({ ...radio, id: "s-2", service: "farkle" });
      await store.createSubscription({ ...radio, id: "s-3", accountId: "a-2" });
      expect(await store.chargeRaise(bySeconds(9), free, "radio", ["a-1"])).toBe(22);
      expect(await store.chargeRaise(bySeconds(9), free, "radio", ["a-1"])).toBe(22);
      expect(await store.chargeRaise(bySeconds(9), free, "radio", [])).toBe(0);
      const charged = await store.leasedCalls(["s-1", "s-2", "s-3"], month);
      expect(charged.map(({ leased }) => leased)).toEqual([44, 0, 0]);
      expect((await store.leasedCalls(["s-1"], "2026-12")).map(({ leased }) => leased)).toEqual([0]);
    });

    test("a subscription created later in the month is charged by its terms", async () => {
      const { store } = await open();
      await store.applyPlans(plans);
      await store.addQuotaRaise(bySeconds(9));
      await store.addQuotaRaise(byPercent(10));
      await store.createSubscription(radio);
      expect((await store.leasedCalls(["s-1"], month)).map(({ leased }) => leased)).toEqual([32]);
    });

    test("a pending one is charged when it is activated, and a larger plan for the difference", async () => {
      const { store } = await open();
      await store.applyPlans(plans);
      await store.addQuotaRaise(bySeconds(99));
      await store.createSubscription({ ...radio, state: "requested" });
      expect((await store.leasedCalls(["s-1"], month)).map(({ leased }) => leased)).toEqual([0]);
      await store.activate("s-1", "free");
      expect((await store.leasedCalls(["s-1"], month)).map(({ leased }) => leased)).toEqual([100]);
      await store.activate("s-1", "pro");
      expect((await store.leasedCalls(["s-1"], month)).map(({ leased }) => leased)).toEqual([1000]);
      await store.activate("s-1", "free");
      expect((await store.leasedCalls(["s-1"], month)).map(({ leased }) => leased)).toEqual([1000]);
    });

    test("an account created after a raise is not charged, nor is a later month", async () => {
      const { store, clock } = await openEmpty();
      await store.addQuotaRaise(bySeconds(99));
      clock.advance(1000);
      await store.createAccount(account);
      await store.createSubscription(radio);
      await store.createAccount({ id: "a-2", name: "other", email: null });
      await store.addQuotaRaise({ ...bySeconds(98), month: "2026-10" });
      await store.createSubscription({ ...radio, id: "s-2", accountId: "a-2" });
      expect((await store.leasedCalls(["s-1", "s-2"], month)).map(({ leased }) => leased)).toEqual([0, 0]);
    });
  });
}

// The months' leases: what is granted never passes the plan.
import { describe, expect, test } from "vitest";
import { fails, type Openers, radio } from "./samples.ts";

/** How every store behaves in this. */
export function leasesSuite({ open }: Openers): void {
  describe("leases", () => {
    const month = "2026-11";

    test("leases take what is left and no more", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      expect(await store.lease("s-1", month, 100, 60)).toEqual({ granted: 60, unleased: 40 });
      expect(await store.lease("s-1", month, 100, 60)).toEqual({ granted: 40, unleased: 0 });
      expect(await store.lease("s-1", month, 100, 60)).toEqual({ granted: 0, unleased: 0 });
      expect(await store.lease("s-1", "2026-12", 100, 60)).toEqual({ granted: 60, unleased: 40 });
      expect(await store.monthStanding(["s-9", "s-1"], month)).toEqual([{ subscriptionId: "s-1", month, leased: 100 }]);
    });

    test("a plan that was made smaller than what is taken gives nothing", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.lease("s-1", month, 100, 60);
      expect(await store.lease("s-1", month, 50, 10)).toEqual({ granted: 0, unleased: 0 });
      expect(await store.lease("s-1", month, 200, 10)).toEqual({ granted: 10, unleased: 130 });
    });

    test("what is given back can be taken again, and never more than was taken", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.giveBack("s-1", month, 5);
      await store.lease("s-1", month, 100, 60);
      await store.giveBack("s-1", month, 20);
      expect(await store.monthStanding(["s-1"], month)).toEqual([{ subscriptionId: "s-1", month, leased: 40 }]);
      await store.giveBack("s-1", month, 1000);
      expect(await store.monthStanding(["s-1"], month)).toEqual([{ subscriptionId: "s-1", month, leased: 0 }]);
    });

    test("a subscription that follows a cancelled one starts where that one stood", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.lease("s-1", month, 100, 90);
      await store.cancel("s-1");
      await store.createSubscription({ ...radio, id: "s-2" });
      expect(await store.lease("s-2", month, 100, 60)).toEqual({ granted: 10, unleased: 0 });
    });

    test("a lease needs a subscription", async () => {
      const { store } = await open();
      await fails(store.lease("s-9", month, 100, 1), "There is no subscription with the id s-9.");
      await fails(store.giveBack("s-9", month, 1), "There is no subscription with the id s-9.");
    });

    test("a month without leases stands at zero", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      expect(await store.monthStanding(["s-1"], month)).toEqual([{ subscriptionId: "s-1", month, leased: 0 }]);
      expect(await store.monthStanding([], month)).toEqual([]);
    });

    test("two connections that lease at once never get more than the plan", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      await store.createSubscription(radio);
      const grants = await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? store : other).lease("s-1", month, 100, 7)),
      );
      expect(grants.reduce((sum, { granted }) => sum + granted, 0)).toBe(100);
      expect(await other.monthStanding(["s-1"], month)).toEqual([{ subscriptionId: "s-1", month, leased: 100 }]);
    });
  });
}

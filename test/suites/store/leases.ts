// Monthly leases: no more calls are granted than the plan includes.
import { describe, expect, test } from "vitest";
import { fails, type Openers, radio } from "./samples.ts";

/** The tests that every store passes. */
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
      expect(await store.leasedCalls(["s-9", "s-1"], month)).toEqual([
        { subscriptionId: "s-1", month, leased: 100, credited: 0, raised: 0 },
      ]);
    });

    test("a plan now smaller than what is leased grants nothing", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.lease("s-1", month, 100, 60);
      expect(await store.lease("s-1", month, 50, 10)).toEqual({ granted: 0, unleased: 0 });
      expect(await store.lease("s-1", month, 200, 10)).toEqual({ granted: 10, unleased: 130 });
    });

    test("returned calls can be leased again, but never more than were leased", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.returnCalls("s-1", month, 5);
      await store.lease("s-1", month, 100, 60);
      await store.returnCalls("s-1", month, 20);
      expect(await store.leasedCalls(["s-1"], month)).toEqual([
        { subscriptionId: "s-1", month, leased: 40, credited: 0, raised: 0 },
      ]);
      await store.returnCalls("s-1", month, 1000);
      expect(await store.leasedCalls(["s-1"], month)).toEqual([
        { subscriptionId: "s-1", month, leased: 0, credited: 0, raised: 0 },
      ]);
    });

    test("a subscription that follows a cancelled one continues its leases", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.lease("s-1", month, 100, 90);
      await store.cancel("s-1");
      await store.createSubscription({ ...radio, id: "s-2" });
      expect(await store.lease("s-2", month, 100, 60)).toEqual({ granted: 10, unleased: 0 });
    });

    test("a lease needs a subscription", async () => {
      const { store } = await open();
      await fails(store.lease("s-9", month, 100, 1), "There is no subscription with the ID s-9.");
      await fails(store.returnCalls("s-9", month, 1), "There is no subscription with the ID s-9.");
    });

    test("the busiest subscriptions are found by an index that leases of a small plan never change", async () => {
      const { store, fixture } = await open();
      const leased = [4567, 1000, 999, 8];
      for (const calls of leased) {
        await store.createAccount({ id: `a-${calls}`, name: `${calls}`, email: null });
        await store.createSubscription({ ...radio, id: `s-${calls}`, accountId: `a-${calls}` });
        await store.lease(`s-${calls}`, month, 10_000, calls);
      }
      const rows = (await fixture.dump()).month_leases ?? [];
      expect(Object.fromEntries(rows.map((row) => [row.leased, row.magnitude]))).toEqual({ 4567: 44, 1000: 41, 999: 0, 8: 0 });
      const busiest = async (limit: number) => (await store.busiestSubscriptions(month, limit)).map(({ id }) => id);
      expect(await busiest(4)).toEqual(leased.map((calls) => `s-${calls}`));
      expect(await busiest(2)).toEqual(["s-4567", "s-1000"]);
    });

    test("a lease without a subscription does not fail others made at once", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      const [none, some] = await Promise.allSettled([store.lease("s-9", month, 100, 1), store.lease("s-1", month, 100, 60)]);
      expect(none.status).toBe("rejected");
      expect(some).toEqual({ status: "fulfilled", value: { granted: 60, unleased: 40 } });
    });

    test("many subscriptions that lease at once each get theirs, even a cancelled one and its successor", async () => {
      const { store } = await open();
      const services = ["radio", "token-price", "token-list", "bitcoin", "farkle"] as const;
      for (const service of services) {
        await store.createSubscription({ ...radio, id: service, service });
      }
      await store.cancel("radio");
      await store.createSubscription({ ...radio, id: "radio again" });
      const ids = [...services, "radio again"];
      const grants = await Promise.all(ids.map((id, index) => store.lease(id, month, 100, 60 + index)));
      expect(grants.map(({ granted }) => granted).toSorted()).toEqual([40, 60, 61, 62, 63, 64].toSorted());
      await Promise.all(ids.map((id) => store.returnCalls(id, month, 10)));
      const standing = await store.leasedCalls(ids, month);
      expect(standing.map(({ leased }) => leased)).toEqual([80, 51, 52, 53, 54, 80]);
    });

    test("two connections that lease and return for many at once lose nothing and grant nothing twice", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      const ids = Array.from({ length: 20 }, (_, index) => `s-${index}`);
      for (const id of ids) {
        await store.createAccount({ id, name: id, email: null });
        await store.createSubscription({ ...radio, id, accountId: id });
      }
      const held = new Map(ids.map((id) => [id, 0]));
      const work = async (through: typeof store, id: string): Promise<void> => {
        for (let round = 0; round < 5; round++) {
          const { granted } = await through.lease(id, month, 30, 7);
          await through.returnCalls(id, month, Math.min(granted, 2));
          held.set(id, (held.get(id) ?? 0) + granted - Math.min(granted, 2));
        }
      };
      await Promise.all(ids.flatMap((id) => [work(store, id), work(other, id)]));
      const standing = await store.leasedCalls(ids, month);
      expect(standing.map(({ leased }) => leased)).toEqual(ids.map((id) => held.get(id)));
      // All calls are leased at some point, and each connection's last action is to return 2.
      expect([...held.values()].filter((calls) => calls < 26 || calls > 30)).toEqual([]);
    });

    test("calls credited for a month add to the plan's in that month only, also for the next subscription", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      expect(await store.credit("s-1", month, 20)).toEqual({ accountId: "a-1", service: "radio", month, credited: 20 });
      expect(await store.lease("s-1", month, 100, 110)).toEqual({ granted: 110, unleased: 10 });
      expect((await store.credit("s-1", month, 5)).credited).toBe(25);
      await store.cancel("s-1");
      await store.createSubscription({ ...radio, id: "s-2" });
      expect(await store.lease("s-2", month, 100, 110)).toEqual({ granted: 15, unleased: 0 });
      expect(await store.leasedCalls(["s-2"], month)).toEqual([
        { subscriptionId: "s-2", month, leased: 125, credited: 25, raised: 0 },
      ]);
      expect(await store.lease("s-2", "2026-12", 100, 110)).toEqual({ granted: 100, unleased: 0 });
      await fails(store.credit("s-9", month, 1), "There is no subscription with the ID s-9.");
      await fails(
        store.credit("s-2", month, 1_000_000_000),
        "At most 1000000000 calls can be added for a month; with these there would be 1000000025.",
      );
      expect((await store.leasedCalls(["s-2"], month))[0]?.credited).toBe(25);
    });

    test("a month without leases has no calls taken", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      expect(await store.leasedCalls(["s-1"], month)).toEqual([
        { subscriptionId: "s-1", month, leased: 0, credited: 0, raised: 0 },
      ]);
      expect(await store.leasedCalls([], month)).toEqual([]);
    });

    test("two connections that lease at once never get more than the plan", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      await store.createSubscription(radio);
      const grants = await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? store : other).lease("s-1", month, 100, 7)),
      );
      expect(grants.reduce((sum, { granted }) => sum + granted, 0)).toBe(100);
      expect(await other.leasedCalls(["s-1"], month)).toEqual([
        { subscriptionId: "s-1", month, leased: 100, credited: 0, raised: 0 },
      ]);
    });
  });
}

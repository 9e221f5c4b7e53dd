// The caps of keys: their calls are leased like a subscription's, and counted next to its monthly quota.
import { describe, expect, test } from "vitest";
import { account, newKey, type Openers, radio } from "./samples.ts";

const month = "2026-11";
const cap = { accountId: "a-1", capId: "k-1" };

/** The tests that every store passes. */
export function keyCapsSuite({ open }: Openers): void {
  describe("caps of keys", () => {
    test("leases take what is left of a cap and no more, and nothing of the subscription", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      expect(await store.lease(cap, month, 100, 60)).toEqual({ granted: 60, unleased: 40 });
      expect(await store.lease(cap, month, 100, 60)).toEqual({ granted: 40, unleased: 0 });
      expect(await store.lease(cap, month, 100, 60)).toEqual({ granted: 0, unleased: 0 });
      expect(await store.lease(cap, "2026-12", 100, 60)).toEqual({ granted: 60, unleased: 40 });
      await store.returnCalls(cap, month, 30);
      expect(await store.lease(cap, month, 50, 60)).toEqual({ granted: 0, unleased: 0 });
      expect(await store.lease(cap, month, 100, 10)).toEqual({ granted: 10, unleased: 20 });
      expect(await store.leasedCapCalls([cap, { ...cap, capId: "k-9" }], month)).toEqual([
        { capId: "k-1", month, leased: 80, credited: 0 },
      ]);
      expect(await store.leasedCalls(["s-1"], month)).toEqual([
        { subscriptionId: "s-1", month, leased: 0, credited: 0, raised: 0 },
      ]);
      expect(await store.leasedCapCalls([], month)).toEqual([]);
      expect((await store.busiestSubscriptions(month, 10)).length).toBe(0);
    });

    test("many leases at once, of caps and subscriptions, never grant more than each has", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      await store.createSubscription(radio);
      const grants = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          (index % 2 === 0 ? store : other).lease(index % 3 === 0 ? "s-1" : { ...cap, capId: `k-${index % 3}` }, month, 100, 7),
        ),
      );
      const granted = (of: number): number =>
        grants.filter((_, index) => index % 3 === of).reduce((sum, grant) => sum + grant.granted, 0);
      expect([granted(0), granted(1), granted(2)]).toEqual([100, 100, 100]);
      await other.close();
    });

    test.for([
      { what: "its rate for a time, with a tenth and a burst", rate: 2, seconds: 9, percent: 0, leased: 0, after: 22 },
      { what: "the fastest plans' rate without one of its own", rate: null, seconds: 9, percent: 0, leased: 0, after: 55 },
      { what: "no more than the cap", rate: 2, seconds: 3600, percent: 0, leased: 30, after: 100 },
      { what: "a share of the cap, rounded up", rate: null, seconds: 0, percent: 5, leased: 7, after: 12 },
      { what: "nothing, if more is leased than the cap", rate: 2, seconds: 9, percent: 0, leased: 150, after: 150 },
    ])("a raise charges $what", async ({ rate, seconds, percent, leased, after }) => {
      const { store } = await open();
      await store.createKey(newKey({ callsPerMonth: 100, requestsPerSecond: rate }));
      await store.rotateKey("k-1", newKey({ id: "k-2", hash: "22" }), 1);
      await store.createKey(newKey({ id: "k-3", hash: "33", requestsPerSecond: 5 }));
      await store.createKey(newKey({ id: "k-4", hash: "44", callsPerMonth: 100 }));
      await store.revokeKey("k-4");
      await store.lease(cap, month, 1000, leased);
      expect(await store.raiseCaps({ id: "r-1", month, seconds, percent }, 5)).toBe(1);
      expect(await store.leasedCapCalls([cap], month)).toEqual([{ capId: "k-1", month, leased: after, credited: 0 }]);
    });

    test("are deleted with the account, and not carried into the next one", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.createKey(newKey({ callsPerMonth: 100 }));
      await store.lease(cap, month, 100, 60);
      await store.lease("s-1", month, 100, 60);
      await store.deleteAccount("a-1");
      expect(await store.leasedCapCalls([cap], month)).toEqual([]);
      expect((await store.leasedCalls(["s-1"], month)).map(({ leased }) => leased)).toEqual([60]);
      await store.createAccount({ ...account, id: "a-2" });
      expect(await store.leasedCapCalls([{ ...cap, accountId: "a-2" }], month)).toEqual([]);
    });
  });
}

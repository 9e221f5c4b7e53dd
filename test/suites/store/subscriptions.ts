// Subscriptions: from asked for to cancelled.
import { describe, expect, test } from "vitest";
import { fails, type Openers, radio, subscriptionOf } from "./samples.ts";

/** How every store behaves in this. */
export function subscriptionsSuite({ open }: Openers): void {
  describe("subscriptions", () => {
    test("an account has one to a service that is not cancelled", async () => {
      const { store } = await open();
      expect(await store.createSubscription(radio)).toEqual(subscriptionOf());
      await fails(store.createSubscription({ ...radio, id: "s-2" }), "The account has a subscription to radio already.");
      expect(await store.cancel("s-1")).toEqual(subscriptionOf({ state: "cancelled" }));
      expect(await store.findSubscription("a-1", "radio")).toBeUndefined();
      const second = { ...radio, id: "s-2", plan: "pro", state: "requested" } as const;
      expect(await store.createSubscription(second)).toEqual(subscriptionOf({ id: "s-2", plan: "pro", state: "requested" }));
      expect((await store.findSubscription("a-1", "radio"))?.id).toBe("s-2");
      expect((await store.listSubscriptions("a-1")).map(({ id }) => id)).toEqual(["s-1", "s-2"]);
      await fails(store.createSubscription({ ...radio, accountId: "a-9" }), "There is no account with the id a-9.");
    });

    test("a plan that is asked for waits beside the one in force until it is activated", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      expect(await store.requestPlan("s-1", "pro")).toEqual(subscriptionOf({ requestedPlan: "pro" }));
      expect(await store.activate("s-1", "pro")).toEqual(subscriptionOf({ plan: "pro" }));
    });

    test("asking for the plan in force takes the wish back", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.requestPlan("s-1", "pro");
      expect(await store.requestPlan("s-1", "free")).toEqual(subscriptionOf());
    });

    test("a subscription that waits can be asked for with another plan, and is activated", async () => {
      const { store } = await open();
      await store.createSubscription({ ...radio, plan: "basic", state: "requested" });
      expect(await store.requestPlan("s-1", "pro")).toEqual(subscriptionOf({ plan: "pro", state: "requested" }));
      expect(await store.activate("s-1", "pro")).toEqual(subscriptionOf({ plan: "pro" }));
    });

    test("cancelling is final", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.cancel("s-1");
      const message = "The subscription s-1 is cancelled, which is final; make a new one.";
      await fails(store.cancel("s-1"), message);
      await fails(store.activate("s-1", "pro"), message);
      await fails(store.requestPlan("s-1", "pro"), message);
      await fails(store.activate("s-9", "pro"), "There is no subscription with the id s-9.");
    });
  });
}

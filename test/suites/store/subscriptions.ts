// Subscriptions, from requested to cancelled.
import { describe, expect, test } from "vitest";
import { fails, type Openers, radio, subscriptionOf } from "./samples.ts";

/** The tests that every store passes. */
export function subscriptionsSuite({ open }: Openers): void {
  describe("subscriptions", () => {
    test("an account has at most one uncancelled subscription to a service", async () => {
      const { store } = await open();
      expect(await store.createSubscription(radio)).toEqual(subscriptionOf());
      await fails(
        store.createSubscription({ ...radio, id: "s-2" }),
        "The account already has a subscription to radio: request another plan on it, or cancel it first.",
      );
      expect(await store.cancel("s-1")).toEqual(subscriptionOf({ state: "cancelled" }));
      expect(await store.findSubscription("a-1", "radio")).toBeUndefined();
      const second = { ...radio, id: "s-2", plan: "pro", state: "requested" } as const;
      expect(await store.createSubscription(second)).toEqual(subscriptionOf({ id: "s-2", plan: "pro", state: "requested" }));
      expect((await store.findSubscription("a-1", "radio"))?.id).toBe("s-2");
      expect((await store.listSubscriptions("a-1")).map(({ id }) => id)).toEqual(["s-1", "s-2"]);
      expect((await store.listCurrentSubscriptions("a-1")).map(({ id }) => id)).toEqual(["s-2"]);
      await fails(store.createSubscription({ ...radio, accountId: "a-9" }), "There is no account with the ID a-9.");
    });

    test("a subscription is found by its id, active or cancelled", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      expect(await store.findSubscriptionById("s-1")).toEqual(subscriptionOf());
      await store.cancel("s-1");
      expect(await store.findSubscriptionById("s-1")).toEqual(subscriptionOf({ state: "cancelled" }));
      expect(await store.findSubscriptionById("s-9")).toBeUndefined();
    });

    test("an account's uncancelled ones are listed by service, active or waiting", async () => {
      const { store } = await open();
      await store.createAccount({ id: "a-2", name: "other", email: null });
      await store.createSubscription({ ...radio, id: "s-9", accountId: "a-2" });
      await store.createSubscription(radio);
      await store.createSubscription({ ...radio, id: "s-2", service: "bitcoin" });
      await store.cancel("s-2");
      await store.createSubscription({ ...radio, id: "s-3", service: "farkle", plan: "pro", state: "requested" });
      const waiting = subscriptionOf({ id: "s-3", service: "farkle", plan: "pro", state: "requested" });
      expect(await store.listCurrentSubscriptions("a-1")).toEqual([subscriptionOf(), waiting]);
      expect(await store.listCurrentSubscriptions("a-3")).toEqual([]);
    });

    test("an account's newest 100 cancelled ones are kept, with the calls of the month", async () => {
      const { store, clock } = await open();
      await store.createAccount({ id: "a-2", name: "other", email: null });
      await store.createSubscription({ ...radio, id: "other", accountId: "a-2" });
      await store.cancel("other");
      await store.createSubscription({ ...radio, id: "in force", service: "farkle" });
      const ids = async (): Promise<string[]> => (await store.listSubscriptions("a-1")).map(({ id }) => id);
      const nths = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => `s-${first + index}`);
      const createAndCancel = async (id: string): Promise<void> => {
        clock.advance(1);
        await store.createSubscription({ ...radio, id });
        await store.lease(id, "2026-11", 1000, 1);
        await store.cancel(id);
      };
      for (const id of nths(1, 101)) {
        await createAndCancel(id);
      }
      expect(await ids()).toEqual([...nths(1, 101), "in force"]);
      await createAndCancel("s-102");
      expect(await ids()).toEqual([...nths(2, 102), "in force"]);
      await store.createSubscription({ ...radio, id: "s-103" });
      expect(await ids()).toEqual([...nths(3, 103), "in force"]);
      expect(await store.findSubscriptionById("s-2")).toBeUndefined();
      expect(await store.leasedCalls(["s-103"], "2026-11")).toEqual([
        { subscriptionId: "s-103", month: "2026-11", leased: 102, credited: 0, raised: 0 },
      ]);
      expect((await store.listSubscriptions("a-2")).map(({ id }) => id)).toEqual(["other"]);
    });

    test("declining a requested plan keeps the active plan, or ends a subscription without one", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await fails(store.declinePlan("s-1"), "No plan of radio is waiting for activation; free is active.");
      await store.requestPlan("s-1", "pro");
      expect(await store.declinePlan("s-1")).toEqual(subscriptionOf());
      await store.createSubscription({ ...radio, id: "s-2", service: "farkle", plan: "pro", state: "requested" });
      expect(await store.declinePlan("s-2")).toEqual(
        subscriptionOf({ id: "s-2", service: "farkle", plan: "pro", state: "cancelled" }),
      );
      await fails(store.declinePlan("s-2"), "The subscription s-2 is cancelled, which is final; create a new one.");
      await fails(store.declinePlan("s-9"), "There is no subscription with the ID s-9.");
      const { entries } = await store.auditPage({ limit: 10, actions: ["subscription.decline"] });
      expect(entries.map(({ subject, details }) => [subject, details.state])).toEqual([
        ["s-2", "cancelled"],
        ["s-1", "active"],
      ]);
    });

    test("a requested plan waits until it is activated, and the current one stays active", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      expect(await store.requestPlan("s-1", "pro")).toEqual(subscriptionOf({ requestedPlan: "pro" }));
      expect(await store.activate("s-1", "pro")).toEqual(subscriptionOf({ plan: "pro" }));
    });

    test("requesting the active plan withdraws the request for another", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.requestPlan("s-1", "pro");
      expect(await store.requestPlan("s-1", "free")).toEqual(subscriptionOf());
    });

    test("a subscription that waits for activation can switch to another plan, and is activated", async () => {
      const { store } = await open();
      await store.createSubscription({ ...radio, plan: "basic", state: "requested" });
      expect(await store.requestPlan("s-1", "pro")).toEqual(subscriptionOf({ plan: "pro", state: "requested" }));
      expect(await store.activate("s-1", "pro")).toEqual(subscriptionOf({ plan: "pro" }));
    });

    test("cancelling is final", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.cancel("s-1");
      const message = "The subscription s-1 is cancelled, which is final; create a new one.";
      await fails(store.cancel("s-1"), message);
      await fails(store.activate("s-1", "pro"), message);
      await fails(store.requestPlan("s-1", "pro"), message);
      await fails(store.activate("s-9", "pro"), "There is no subscription with the ID s-9.");
    });
  });
}

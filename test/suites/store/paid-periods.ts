// The ledger of paid plans, through everything that can begin or end one.
import { describe, expect, test } from "vitest";
import { builtInPlan, type Openers, radio } from "./samples.ts";

/** Registers the tests. */
export function paidPeriodsSuite({ open }: Openers): void {
  describe("paid periods", () => {
    test("begin and end with the version that is active, and outlive the account", async () => {
      const { store, clock } = await open();
      const beginMs = clock.nowMs();
      const next = async (change: () => Promise<unknown>): Promise<void> => {
        clock.advance(1000);
        await change();
      };
      await store.createSubscription({ ...radio, requestedPlan: "pro" });
      await next(() => store.activate("s-1", "pro"));
      // Neither a request nor the same plan again begins another.
      await next(() => store.requestPlan("s-1", "mega"));
      await next(() => store.activate("s-1", "pro"));
      const basic = { ...builtInPlan("radio", "pro"), name: "cheap", priceMinor: 700 };
      await next(() => store.applyPlans([builtInPlan("radio", "free"), basic]));
      await next(() => store.scheduleMoves({ service: "radio", plan: "pro", to: "cheap" }, clock.nowMs()));
      await next(() => store.moveDue("s-1"));
      await next(() => store.activate("s-1", "free"));
      await next(() => store.activate("s-1", "cheap"));
      await next(() => store.cancel("s-1"));
      await next(() => store.createSubscription({ ...radio, id: "s-2", plan: "cheap" }));
      await next(() => store.deleteAccount("a-1"));
      await next(() => store.createAccount({ id: "a-2", name: "zebra", email: null }));
      await store.createSubscription({ ...radio, id: "s-3", accountId: "a-2", plan: "cheap", state: "requested" });
      await next(() => store.activate("s-3", "cheap"));
      const periods = await store.paidPeriods(0, clock.nowMs() + 1);
      expect(
        periods.map(({ subscriptionId, accountName, terms, beganAtMs, endedAtMs, payment }) => [
          ...[subscriptionId, accountName, terms.id, (beganAtMs - beginMs) / 1000],
          ...[endedAtMs === null ? null : (endedAtMs - beginMs) / 1000, payment],
        ]),
      ).toEqual([
        ["s-1", null, "radio/pro/1", 1, 6, undefined],
        ["s-1", null, "radio/cheap/1", 6, 7, undefined],
        ["s-1", null, "radio/cheap/1", 8, 9, undefined],
        ["s-2", null, "radio/cheap/1", 10, 11, undefined],
        ["s-3", "zebra", "radio/cheap/1", 13, null, undefined],
      ]);
      const between = await store.paidPeriods(beginMs + 7500, beginMs + 10_000);
      expect(between.map(({ beganAtMs }) => (beganAtMs - beginMs) / 1000)).toEqual([8]);
    });
  });
}

// Two versions of Quintet over one database, of which one knows an entitlement that the other does not.
import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/catalogue/plan.ts";
import { builtInPlan, type Openers, radio } from "./samples.ts";

const pro = builtInPlan("farkle", "pro");
const free = builtInPlan("farkle", "free");
const plans: readonly Plan[] = [free, pro];

/** Registers the tests. */
export function planVersionsSuite({ open }: Openers): void {
  // A database with a subscriber of pro, and what another version of Quintet does there.
  const subscribed = async () => {
    const { store, fixture } = await open();
    await store.applyPlans(plans);
    await store.createSubscription({ ...radio, service: "farkle", plan: "pro" });
    return {
      store,
      run: fixture.run,
      otherWrites: (id: string, entitlements: object) =>
        fixture.run(`update plans set entitlements = '${JSON.stringify(entitlements)}' where id = '${id}'`),
      /** The versions of pro as they are stored. */
      stored: async () =>
        ((await fixture.dump()).plans ?? [])
          .filter(({ service, name }) => service === "farkle" && name === "pro")
          .map(({ id, entitlements, position }) => [id, entitlements, position !== null])
          .toSorted(),
      /** What the subscriber has, and what is on offer. */
      served: async () => [
        (await store.findSubscription("a-1", "farkle"))?.terms,
        (await store.offeredPlans()).find(({ name }) => name === "pro"),
      ],
      applied: async (file: readonly Plan[]) => (await store.applyPlans(file))?.map(({ kind }) => kind),
    };
  };

  describe("plans of another version of Quintet", () => {
    test("are served without what only the other one knows, and keep it when a file with the same terms is applied", async () => {
      const { otherWrites, served, applied, stored } = await subscribed();
      await otherWrites("farkle/pro/1", { farkleBreakdown: true, seats: 5 });
      expect(await served()).toEqual([pro, pro]);
      expect(await applied(plans)).toEqual(["unchanged", "unchanged"]);
      expect(await stored()).toEqual([["farkle/pro/1", '{"farkleBreakdown":true,"seats":5}', true]]);
    });

    test("stay on offer, if versions differ only in what this one does not know", async () => {
      const { run, otherWrites, applied, stored } = await subscribed();
      await applied([free, { ...pro, priceMinor: 1 }]);
      await run(`update plans set price_minor = ${pro.priceMinor} where id = 'farkle/pro/2'`);
      await otherWrites("farkle/pro/1", { farkleBreakdown: true, seats: 5 });
      await otherWrites("farkle/pro/2", { farkleBreakdown: true, seats: 6 });
      const before = await stored();
      expect(await applied(plans)).toEqual(["unchanged", "unchanged"]);
      expect(await stored()).toEqual(before);
      // The latest one returns after it was retired.
      await applied([free]);
      await applied(plans);
      expect(await stored()).toEqual(before);
    });

    test("have the lowest value of what the other one does not know, until a file that sets it makes a new version", async () => {
      const { otherWrites, served, applied, stored } = await subscribed();
      await otherWrites("farkle/pro/1", {});
      const lowest = { ...pro, entitlements: { ...pro.entitlements, farkleBreakdown: false } };
      expect(await served()).toEqual([lowest, lowest]);
      expect(await applied([free, lowest])).toEqual(["unchanged", "unchanged"]);
      expect(await stored()).toEqual([["farkle/pro/1", "{}", true]]);
      expect(await applied(plans)).toEqual(["unchanged", "changed"]);
      expect(await served()).toEqual([lowest, { ...pro, id: "farkle/pro/2" }]);
      expect(await stored()).toEqual([
        ["farkle/pro/1", "{}", false],
        ["farkle/pro/2", '{"farkleBreakdown":true}', true],
      ]);
    });
  });
}

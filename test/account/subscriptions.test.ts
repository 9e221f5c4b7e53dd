// How a customer gets a plan if there is a payment provider. Subscriptions without one are tested through the command line.
import { describe, expect, onTestFinished, test } from "vitest";
import type { Payments } from "../../src/account/payments.ts";
import { createSubscription, requestPlan, type SubscriptionOptions } from "../../src/account/subscriptions.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../fixtures/migrated-data.ts";

async function open(request: Payments["request"]): Promise<SubscriptionOptions & { store: Store }> {
  const store = await openStore({
    dataDir: await temporaryDataDirectory(),
    clock: createManualClock({ nowMs: 0 }),
    role: "command",
  });
  onTestFinished(() => store.close());
  await store.createAccount({ id: "a-1", name: "acme", email: null });
  return { store, plans: loadPlans(undefined), payments: { request }, randomness: createCountingRandomness() };
}

const input = { accountId: "a-1", service: "farkle", plan: "pro" } as const;

describe("a payment provider", () => {
  test("that has taken the money makes a paid plan active at once", async () => {
    const requested: string[] = [];
    const deps = await open((subscription, plan) => {
      requested.push(`${subscription.state} ${plan.name} ${plan.priceMinor} ${plan.currency}`);
      return Promise.resolve("active");
    });
    const created = await createSubscription(deps, input);
    expect([created.state, created.plan]).toEqual(["active", "pro"]);
    const changed = await requestPlan(deps, created, "mega");
    expect([changed.state, changed.plan, changed.requestedPlan]).toEqual(["active", "mega", null]);
    expect(requested).toEqual(["active pro 1154 EUR", "active mega 3648 EUR"]);
  });

  test("is not called for a free plan, or for the active one", async () => {
    let requested = 0;
    const deps = await open(() => {
      requested++;
      return Promise.resolve("active");
    });
    const free = await createSubscription(deps, { ...input, plan: "free" });
    const pro = await requestPlan(deps, free, "pro");
    expect(await requestPlan(deps, pro, "pro")).toEqual(pro);
    expect((await requestPlan(deps, pro, "free")).plan).toBe("free");
    expect(requested).toBe(1);
  });

  test("that fails leaves the request waiting and the active plan unchanged", async () => {
    const deps = await open(() => Promise.reject(new Error("the provider does not respond")));
    const free = await createSubscription(deps, { ...input, plan: "free" });
    await expect(requestPlan(deps, free, "pro")).rejects.toThrow("the provider does not respond");
    const after = await deps.store.findSubscription("a-1", "farkle");
    expect([after?.state, after?.plan, after?.requestedPlan]).toEqual(["active", "free", "pro"]);
  });
});

// A plan that is removed from the plan file while it has subscribers.
import { expect, test } from "vitest";
import { warnOfWithdrawnPlans } from "../../src/guard/withdrawn-plans.ts";
import type { Log } from "../../src/runtime/log.ts";
import { openStore } from "../../src/store/open.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../fixtures/migrated-data.ts";
import { NOON_MS, plansOf, radioPlan } from "./scene.ts";

test("is logged at startup, with its number of subscribers", async () => {
  const clock = createManualClock({ nowMs: NOON_MS });
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "command" });
  for (const [id, plan, state] of [
    ["a", "free", "active"],
    ["b", "old", "active"],
    ["c", "old", "active"],
    ["d", "older", "requested"],
  ] as const) {
    await store.createAccount({ id, name: id, email: null });
    await store.createSubscription({ id, accountId: id, service: "radio", plan, state });
  }
  const warnings: unknown[] = [];
  const unheard = (): void => {
    throw new Error("Only warnings are written.");
  };
  const log: Log = { debug: unheard, info: unheard, error: unheard, warn: (fields: unknown) => void warnings.push(fields) };
  await warnOfWithdrawnPlans(store, plansOf([radioPlan("free", 10)]), log);
  await store.close();
  expect(warnings).toEqual([{ service: "radio", plan: "old", subscribers: 2 }]);
});

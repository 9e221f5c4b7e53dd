// Puts an account of the sandbox on the largest plan of each service.
import type { Plans } from "../catalogue/plans.ts";
import { SERVICE_NAMES } from "../catalogue/service-names.ts";
import type { AdminStore } from "../store/store.ts";

/** Subscribes the account to each service to which it has no subscription yet. */
export async function subscribeToAll(store: AdminStore, plans: Plans, accountId: string, makeId: () => string): Promise<void> {
  for (const service of SERVICE_NAMES) {
    const largest = plans.of(service).reduce((a, b) => (b.callsPerMonth > a.callsPerMonth ? b : a));
    if ((await store.findSubscription(accountId, service)) === undefined) {
      await store.createSubscription({ id: makeId(), accountId, service, plan: largest.name, state: "active" });
    }
  }
}

// The leases that a worker thread uses. It asks the main thread once where each lease is in the shared memory, and again when another plan or
// subscription has taken that slot.

import type { Plan } from "../catalogue/plan.ts";
import { accountOf } from "../guard/keys/access.ts";
import type { MonthLease, MonthLeases } from "../guard/quota/month-lease.ts";
import { LruMap } from "../runtime/lru-map.ts";
import type { LeaseClaim } from "./messages.ts";
import { RemoteLease, type RemoteLeaseDependencies } from "./remote-lease.ts";

/** The leases of a worker thread. */
export class RemoteLeases implements MonthLeases {
  readonly #dependencies: RemoteLeaseDependencies;
  readonly #leases: LruMap<string, RemoteLease>;
  readonly #flights = new Map<string, Promise<RemoteLease | undefined>>();

  /** `leasesMax`: how many leases are remembered. */
  constructor(dependencies: RemoteLeaseDependencies, leasesMax: number) {
    this.#dependencies = dependencies;
    this.#leases = new LruMap(leasesMax);
  }

  of(key: string, subscriptionId: string, plan: Plan, epoch: number): MonthLease | Promise<MonthLease | undefined> {
    const found = this.#leases.get(key);
    if (found?.isOf(subscriptionId, plan)) {
      return found;
    }
    const claim: LeaseClaim = { key, subscriptionId, service: plan.service, plan: plan.name, epoch };
    const name = `${key} ${subscriptionId} ${plan.name} ${epoch}`;
    const flight = this.#flights.get(name) ?? this.#find(claim, plan).finally(() => this.#flights.delete(name));
    this.#flights.set(name, flight);
    return flight;
  }

  async #find(claim: LeaseClaim, plan: Plan): Promise<RemoteLease | undefined> {
    // The main thread has logged why, where it fails.
    const place = await this.#dependencies.mainThread.ask({ about: "leasePlace", asked: claim }).catch(() => undefined);
    if (place === undefined) {
      return undefined;
    }
    const lease = new RemoteLease(this.#dependencies, place, plan, claim);
    // If the account has changed meanwhile, the place may belong to the plan before. Then it is good for this call and no other.
    if (claim.epoch === this.#dependencies.epoch.of(accountOf(claim.key))) {
      this.#leases.set(claim.key, lease);
    }
    return lease;
  }
}

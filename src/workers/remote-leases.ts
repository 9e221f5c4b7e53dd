// The leases that a worker uses. Where each is in the shared memory is asked once, and again after another plan or holder has taken its slot.

import type { Plan } from "../catalogue/plan.ts";
import { accountOf } from "../guard/keys/access.ts";
import type { MonthLease, MonthLeases } from "../guard/quota/month-lease.ts";
import { LruMap } from "../runtime/lru-map.ts";
import type { LeaseClaim } from "./messages.ts";
import { RemoteLease, type RemoteLeaseDependencies } from "./remote-lease.ts";

/** The leases of a worker. */
export class RemoteLeases implements MonthLeases {
  readonly #dependencies: RemoteLeaseDependencies;
  readonly #leases: LruMap<string, RemoteLease>;
  readonly #flights = new Map<string, Promise<RemoteLease | undefined>>();

  /** `leasesMax` is how many leases are remembered. */
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
    // Why it cannot be had, where it cannot, is in the main thread's log.
    const place = await this.#dependencies.port.ask("place", claim).catch(() => undefined);
    if (place === undefined) {
      return undefined;
    }
    const lease = new RemoteLease(this.#dependencies, place, plan, claim);
    // Where the account has changed meanwhile the place may be that of the plan before, which must not be spent from any longer than now.
    if (claim.epoch === this.#dependencies.epoch.of(accountOf(claim.key))) {
      this.#leases.set(claim.key, lease);
    }
    return lease;
  }
}

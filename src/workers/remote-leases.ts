// The leases that a worker uses. Where each is in the shared memory is asked once, and again after another plan or holder has taken its slot.

import type { MonthLease, MonthLeases } from "../guard/month-lease.ts";
import type { Plan } from "../guard/plan.ts";
import { RecentMap } from "../guard/recent-map.ts";
import type { LeaseClaim } from "./protocol.ts";
import { RemoteLease, type RemoteLeaseMeans } from "./remote-lease.ts";

/** The leases of a worker. */
export class RemoteLeases implements MonthLeases {
  readonly #means: RemoteLeaseMeans;
  readonly #epoch: () => number;
  readonly #leases: RecentMap<string, RemoteLease>;
  readonly #flights = new Map<string, Promise<RemoteLease | undefined>>();

  /** `epoch` is that of what this thread knows of keys; `leasesMax` is how many leases are remembered. */
  constructor(means: RemoteLeaseMeans, epoch: () => number, leasesMax: number) {
    this.#means = means;
    this.#epoch = epoch;
    this.#leases = new RecentMap(leasesMax);
  }

  of(key: string, subscriptionId: string, plan: Plan): MonthLease | Promise<MonthLease | undefined> {
    const found = this.#leases.get(key);
    if (found?.isOf(subscriptionId, plan)) {
      return found;
    }
    const name = `${key} ${subscriptionId} ${plan.name} ${this.#epoch()}`;
    const flight = this.#flights.get(name) ?? this.#find(key, subscriptionId, plan).finally(() => this.#flights.delete(name));
    this.#flights.set(name, flight);
    return flight;
  }

  async #find(key: string, subscriptionId: string, plan: Plan): Promise<RemoteLease | undefined> {
    const claim: LeaseClaim = { key, subscriptionId, service: plan.service, plan: plan.name, epoch: this.#epoch() };
    // Why it cannot be had, where it cannot, is in the main thread's log.
    const place = await this.#means.port.ask("place", claim).catch(() => undefined);
    if (place === undefined) {
      return undefined;
    }
    const lease = new RemoteLease(this.#means, place, plan, claim);
    // Where something has changed meanwhile the place may be that of the plan before, which must not be spent from any longer than now.
    if (claim.epoch === this.#means.epoch.now()) {
      this.#leases.set(key, lease);
    }
    return lease;
  }
}

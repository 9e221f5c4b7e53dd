// The leases that a worker thread uses. It asks the main thread once where each lease is in the shared memory, and again when another plan
// or subscription has taken that slot.
import type { Plan } from "../catalogue/plan.ts";
import { accountOf } from "../guard/keys/access.ts";
import type { MonthLease, MonthLeases } from "../guard/quota/month-lease.ts";
import { LruMap } from "../runtime/lru-map.ts";
import type { LeaseClaim } from "./messages.ts";
import { RemoteLease, type RemoteLeaseOptions } from "./remote-lease.ts";

/** The leases of a worker thread. */
export class RemoteLeases implements MonthLeases {
  readonly #options: RemoteLeaseOptions;
  readonly #leases: LruMap<string, RemoteLease>;
  readonly #flights = new Map<string, Promise<RemoteLease | undefined>>();

  /** `leasesMax`: how many leases are kept. */
  constructor(options: RemoteLeaseOptions, leasesMax: number) {
    this.#options = options;
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
    // If this fails, the main thread has logged why.
    const place = await this.#options.mainThread.ask({ about: "leasePlace", input: claim }).catch(() => undefined);
    if (place === undefined) {
      return undefined;
    }
    const lease = new RemoteLease(this.#options, place, plan, claim);
    // If the account has changed in the meantime, the place may belong to the previous plan. Then it is valid for this call only.
    if (claim.epoch === this.#options.epoch.of(accountOf(claim.key))) {
      this.#leases.set(claim.key, lease);
    }
    return lease;
  }
}

// The leases that a worker thread uses. It asks the main thread once for the position of each lease in shared memory, and again when
// another plan or subscription has taken that slot.
import { accountOf } from "../guard/keys/access.ts";
import type { MonthLease, MonthLeases } from "../guard/quota/month-lease.ts";
import { LruMap } from "../runtime/lru-map.ts";
import type { LeaseSubject, PlanTerms } from "../store/records.ts";
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

  of(key: string, subject: LeaseSubject, terms: PlanTerms, epoch: number): MonthLease | Promise<MonthLease | undefined> {
    const found = this.#leases.get(key);
    if (found?.isOf(subject, terms)) {
      return found;
    }
    const { callsPerMonth, requestsPerSecond } = terms;
    const claim: LeaseClaim = { key, subject, terms: { callsPerMonth, requestsPerSecond }, epoch };
    const id = typeof subject === "string" ? subject : subject.capId;
    const name = `${key} ${id} ${callsPerMonth} ${requestsPerSecond} ${epoch}`;
    const flight = this.#flights.get(name) ?? this.#find(claim).finally(() => this.#flights.delete(name));
    this.#flights.set(name, flight);
    return flight;
  }

  async #find(claim: LeaseClaim): Promise<RemoteLease | undefined> {
    // If this fails, the main thread has logged why.
    const slot = await this.#options.mainThread.request({ kind: "leaseSlot", input: claim }).catch(() => undefined);
    if (slot === undefined) {
      return undefined;
    }
    const lease = new RemoteLease(this.#options, slot, claim);
    // If the account has changed in the meantime, the position may belong to the previous plan. Then it is valid for this call only.
    if (claim.epoch === this.#options.epoch.of(accountOf(claim.key))) {
      this.#leases.set(claim.key, lease);
    }
    return lease;
  }
}

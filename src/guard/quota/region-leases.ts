// Leases calls of the month from the region's database, which is nearby. The region's database in turn leases large blocks of calls from
// the home database, before it runs out. So few callers wait for the home database, and a region that is cut off can go on serving the
// calls that it holds.
//
// Calls are deducted in the home database before the region grants them, and in the region's database before they are spent. Both databases
// keep counts that only grow, so a response that is lost, late or repeated neither loses calls nor grants them twice.
import type { Month } from "../../runtime/calendar.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { KeyCap, LeasedCalls, LeasedCapCalls, LeaseGrant, LeaseSubject } from "../../store/records.ts";
import { type RegionGrant, type RegionLease, type RegionQuota, subjectText } from "../../store/region/region-records.ts";
import type { RegionStore } from "../../store/region/region-store.ts";
import type { RegionHome } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import { HomeUnavailable } from "./home-unavailable.ts";
import { lowWaterOf, regionLeaseSize, regionLeaseWant } from "./lease-size.ts";
import type { RegionCheck } from "./region-check.ts";

interface RegionLeasesOptions {
  readonly region: Pick<RegionStore, "lease" | "returnCalls" | "record" | "quotas">;
  readonly check: Pick<RegionCheck, "run">;
  readonly home: Pick<RegionHome, "exchangeWithRegion">;
  /** Between the guard and the home database. */
  readonly breaker: StoreBreaker;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a server waits for a response from the home database. Calls that are granted later stay in the region. */
  readonly homeWaitMs: number;
}

/** What is known about a quota before the home database is asked. */
type Known = Pick<RegionQuota, "regionId" | "granted" | "returned" | "left"> & { readonly unleased: number | undefined };

const NOTHING_KNOWN = { granted: 0, returned: 0, left: 0, unleased: undefined };

export class RegionLeases {
  readonly #options: RegionLeasesOptions;
  // The request to the home database that is in progress for each quota.
  readonly #asking = new Map<string, Promise<RegionGrant>>();

  constructor(options: RegionLeasesOptions) {
    this.#options = options;
  }

  /**
   * Leases up to `want` calls, as `GuardStore.lease` does. Rejects with StoreUnavailable if the region's database could not be reached, and
   * with HomeUnavailable if the region has no calls and the home database could not be reached.
   */
  async lease(subject: LeaseSubject, month: Month, callsPerMonth: number, want: number): Promise<LeaseGrant> {
    const { region, check, clock, homeWaitMs } = this.#options;
    const untilMs = clock.monotonicMs() + homeWaitMs;
    // Other servers of the region may take the calls that the home database has granted, so this may take several attempts.
    do {
      const lease: RegionLease | "unchecked" = await region.lease({ subject, month, callsPerMonth, want });
      if (lease === "unchecked") {
        await this.#inTime(check.run());
        continue;
      }
      const { regionId, leased, quota } = lease;
      const known = { ...(quota ?? NOTHING_KNOWN), regionId };
      if (quota !== undefined && leased > 0) {
        this.#refillLow(subject, month, callsPerMonth, known);
        return { granted: leased, unleased: quota.left + quota.unleased };
      }
      const { granted, unleased } = await this.#inTime(this.#ask(subject, month, callsPerMonth, known, want));
      if (granted <= known.granted && unleased === 0) {
        return { granted: 0, unleased: 0 };
      }
    } while (clock.monotonicMs() < untilMs);
    throw new HomeUnavailable("The region's other servers took all that the home database granted.");
  }

  /** Returns unspent calls to the region. */
  returnCalls(subject: LeaseSubject, month: Month, calls: number): Promise<void> {
    return this.#options.region.returnCalls({ subject, month }, calls);
  }

  /**
   * How many calls of each subscription are leased, not counting those that the region still holds. Assumes that the monthly quota is the
   * one that the region knows.
   */
  async leasedCalls(subscriptionIds: readonly string[], month: Month): Promise<readonly LeasedCalls[]> {
    const quotas = await this.#options.region.quotas(subscriptionIds.map((subject) => ({ subject, month })));
    return quotas.map((quota) => ({
      subscriptionId: quota.subject as string,
      month,
      leased: leasedOf(quota),
      credited: 0,
      raised: 0,
    }));
  }

  /** The same for caps. */
  async leasedCapCalls(caps: readonly KeyCap[], month: Month): Promise<readonly LeasedCapCalls[]> {
    const quotas = await this.#options.region.quotas(caps.map((subject) => ({ subject, month })));
    return quotas.map((quota) => ({ capId: (quota.subject as KeyCap).capId, month, leased: leasedOf(quota), credited: 0 }));
  }

  /** How many calls the region holds for its servers, by the ids of subscriptions and caps. None if its database cannot be reached. */
  async heldOf(subjects: readonly LeaseSubject[], month: Month): Promise<ReadonlyMap<string, number>> {
    const quotas = await this.#options.region.quotas(subjects.map((subject) => ({ subject, month }))).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) {
        return [];
      }
      throw error;
    });
    return new Map(quotas.map(({ subject, left }) => [typeof subject === "string" ? subject : subject.capId, left]));
  }

  // Starts a refill if the region runs low. Does not wait for it.
  #refillLow(subject: LeaseSubject, month: Month, callsPerMonth: number, quota: Known): void {
    const { left, unleased = 0 } = quota;
    const isLow = left < lowWaterOf(regionLeaseSize(callsPerMonth, unleased));
    if (isLow && unleased > 0) {
      this.#ask(subject, month, callsPerMonth, quota, 0).catch((error: unknown) => this.#logDefect(error));
    }
  }

  // Asks the home database for calls, or joins a request for the same quota that is in progress. Rejects with HomeUnavailable if the home
  // database cannot be reached.
  #ask(subject: LeaseSubject, month: Month, callsPerMonth: number, known: Known, wanted: number): Promise<RegionGrant> {
    const name = `${month} ${subjectText(subject)}`;
    const running = this.#asking.get(name);
    if (running !== undefined) {
      return running;
    }
    const { breaker } = this.#options;
    if (!breaker.admits()) {
      return Promise.reject(new HomeUnavailable("The home database does not respond."));
    }
    const asking = this.#exchange(subject, month, callsPerMonth, known, wanted).finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return asking;
  }

  async #exchange(subject: LeaseSubject, month: Month, callsPerMonth: number, known: Known, wanted: number): Promise<RegionGrant> {
    const { region, home, breaker, clock } = this.#options;
    const { regionId, granted, returned, left, unleased } = known;
    const want = regionLeaseWant(callsPerMonth, unleased, left, wanted);
    const record = (grant: RegionGrant): Promise<unknown> =>
      region.record({ regionId, subject, month, callsPerMonth, grant, keep: undefined, nowMs: clock.nowMs() });
    const grant = await breaker
      .run(
        () => home.exchangeWithRegion({ regionId, subject, month, callsPerMonth, want, granted, returned }),
        (late) => void record(late).catch((error: unknown) => this.#logDefect(error)),
      )
      .catch((error: unknown) => {
        throw error instanceof StoreUnavailable
          ? new HomeUnavailable("The home database does not respond.", { cause: error })
          : error;
      });
    await record(grant);
    return grant;
  }

  // Waits for the home database. Rejects with HomeUnavailable if that takes too long.
  #inTime<Result>(asking: Promise<Result>): Promise<Result> {
    const { clock, homeWaitMs } = this.#options;
    return new Promise((resolve, reject) => {
      const cancel = clock.after(homeWaitMs, () =>
        reject(new HomeUnavailable(`The home database took more than ${homeWaitMs} ms.`)),
      );
      asking.then(resolve, reject).finally(cancel);
    });
  }

  // Logs only unexpected errors: the breakers log that a database is down.
  #logDefect(error: unknown): void {
    if (!(error instanceof HomeUnavailable || error instanceof StoreUnavailable)) {
      this.#options.log.error({ err: error }, "The home database refused calls to the region");
    }
  }
}

const leasedOf = ({ callsPerMonth, left, unleased }: RegionQuota): number => callsPerMonth - left - unleased;

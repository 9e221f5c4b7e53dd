// The extra work of a server that leases calls of the month from a region's database.
import type { RegionConfig } from "../config/region.ts";
import { startBackgroundJob } from "../runtime/background-job.ts";
import type { Calendar } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { beginExpiry } from "../store/expiry.ts";
import type { RegionStore } from "../store/region/region-store.ts";
import type { Store } from "../store/store.ts";
import type { StoreBreaker } from "./breaker/store-breaker.ts";
import type { RegionLeases } from "./quota/region-leases.ts";
import { beginRegionReviews } from "./quota/region-review.ts";
import type { RegionStatus } from "./quota/region-status.ts";

const CHECK_EVERY_MS = 5000;

/** Opens the region's database. If it cannot be used, closes the home database and rejects with StoreRefused, which says what to do. */
export async function openRegionOf(region: RegionConfig, clock: Clock, home: Pick<Store, "close">): Promise<RegionStore> {
  try {
    // The driver is loaded only if it is used.
    const { openRegion } = await import("../store/region/region-store.ts");
    return await openRegion(region, clock);
  } catch (error) {
    await home.close();
    throw error;
  }
}

interface RegionWorkOptions {
  readonly breaker: StoreBreaker;
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Begins to check the region's database every few seconds, to review the calls that the region holds, and to delete expired rows. Returns a
 * function that ends all of this.
 */
export function beginRegionWork(
  region: RegionStore,
  { home, check }: RegionStatus,
  options: RegionWorkOptions,
): () => Promise<void> {
  const ends = [
    beginRegionReviews({ ...options, region, home }),
    beginExpiry({ ...options, store: region }),
    startBackgroundJob({
      ...options,
      firstMs: 0,
      everyMs: CHECK_EVERY_MS,
      pauseMs: CHECK_EVERY_MS,
      failure: "The region's database cannot be checked against the home database; trying again in five seconds",
      work: async () => {
        await check.run();
        return false;
      },
    }),
  ];
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}

/**
 * The store as accounts see it: calls that this region holds do not count as used. Calls that other regions hold do, because this region
 * does not know how many those are.
 */
export const withoutHeldCalls = (store: Store, leases: RegionLeases): Store => ({
  ...store,
  async leasedCalls(ids, month) {
    const held = await leases.heldOf(ids, month);
    const leased = await store.leasedCalls(ids, month);
    return leased.map((one) => ({ ...one, leased: one.leased - (held.get(one.subscriptionId) ?? 0) }));
  },
  async leasedCapCalls(caps, month) {
    const held = await leases.heldOf(caps, month);
    const leased = await store.leasedCapCalls(caps, month);
    return leased.map((one) => ({ ...one, leased: one.leased - (held.get(one.capId) ?? 0) }));
  },
});

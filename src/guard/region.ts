// What a server does if it leases calls of the month from a region's database.
import type { RegionConfig } from "../config/region.ts";
import type { Calendar } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { beginExpiry } from "../store/expiry.ts";
import type { RegionStore } from "../store/region/region-store.ts";
import type { RegionHome, Store } from "../store/store.ts";
import type { StoreBreaker } from "./breaker/store-breaker.ts";
import type { RegionLeases } from "./quota/region-leases.ts";
import { beginRegionReviews } from "./quota/region-review.ts";

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

/** Begins to review what the region holds, and to delete what it no longer needs. Returns a function that ends both. */
export function beginRegionWork(region: RegionStore, home: Partial<RegionHome>, options: RegionWorkOptions): () => Promise<void> {
  const { exchangeWithRegion } = home;
  const endReviews = exchangeWithRegion && beginRegionReviews({ ...options, region, home: { exchangeWithRegion } });
  const endExpiry = beginExpiry({ ...options, store: region });
  return async () => {
    await Promise.all([endReviews?.(), endExpiry()]);
  };
}

/** The store as accounts see it: calls that this region holds are not used. They cannot tell what other regions hold. */
export const withoutHeldCalls = (store: Store, leases: RegionLeases): Store => ({
  ...store,
  async leasedCalls(ids, month) {
    const held = await leases.heldOf(ids, month);
    const leased = await store.leasedCalls(ids, month);
    return leased.map((one) => ({ ...one, leased: one.leased - (held.get(one.subscriptionId) ?? 0) }));
  },
  async leasedOfCaps(caps, month) {
    const held = await leases.heldOf(caps, month);
    const leased = await store.leasedOfCaps(caps, month);
    return leased.map((one) => ({ ...one, leased: one.leased - (held.get(one.capId) ?? 0) }));
  },
});

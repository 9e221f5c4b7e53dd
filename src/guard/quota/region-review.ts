// Reviews the quotas about which the region has not asked the home database for minutes: compares the calls that the region holds with the
// calls that are left, and returns the excess. So the share of a quiet region shrinks too when other regions have used up most of a quota.
// If the home database does not know that the region has returned calls, a review reports them again.

import { startBackgroundJob } from "../../runtime/background-job.ts";
import type { Calendar } from "../../runtime/calendar.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { RegionQuota } from "../../store/region/region-records.ts";
import type { RegionStore } from "../../store/region/region-store.ts";
import type { RegionHome } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import { regionLeaseSize } from "./lease-size.ts";

const CHECK_EVERY_MS = 5000;
const PAUSE_MS = 200;
// How old the home database's last report on a quota may be.
const REVIEW_AFTER_MS = 300_000;
// How many quotas are reviewed at a time.
const COMPARED_MAX = 250;

interface RegionReviewOptions {
  readonly region: Pick<RegionStore, "dueQuotas" | "record">;
  readonly home: Pick<RegionHome, "exchangeWithRegion">;
  /** Between the guard and the home database. */
  readonly breaker: StoreBreaker;
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly log: Log;
}

/** Begins the reviews. Returns a function that ends them, and waits for one in progress. */
export function beginRegionReviews({ region, home, breaker, calendar, clock, log }: RegionReviewOptions): () => Promise<void> {
  // Tells the home database how many calls the region has returned. The result says what the region then holds and has returned.
  const compare = async (quota: RegionQuota, keepsAll: boolean): Promise<RegionQuota> => {
    const { regionId, subject, month, callsPerMonth, granted, returned } = quota;
    const request = { regionId, subject, month, callsPerMonth, granted, returned, want: 0 };
    const grant = await breaker.run(() => home.exchangeWithRegion(request));
    const keep = grant.unleased === 0 ? 0 : regionLeaseSize(callsPerMonth, grant.unleased);
    return region.record({
      regionId,
      subject,
      month,
      callsPerMonth,
      grant,
      keep: keepsAll ? undefined : keep,
      nowMs: clock.nowMs(),
    });
  };
  const review = async (quota: RegionQuota): Promise<void> => {
    try {
      const compared = await compare(quota, false);
      if (compared.returned > quota.returned) {
        await compare(compared, true);
      }
    } catch (error) {
      // The breakers log that a database is down.
      if (!(error instanceof StoreUnavailable)) {
        log.error(
          { err: error },
          "The calls that the region holds could not be compared with the calls that are left of the quota",
        );
      }
    }
  };
  return startBackgroundJob({
    clock,
    log,
    firstMs: CHECK_EVERY_MS,
    everyMs: CHECK_EVERY_MS,
    pauseMs: PAUSE_MS,
    failure: "The quotas of the region could not be read; trying again in five seconds",
    work: async () => {
      if (!breaker.admits()) {
        return false;
      }
      const due = await region.dueQuotas(calendar.today().month, clock.nowMs() - REVIEW_AFTER_MS, COMPARED_MAX);
      await Promise.all(due.map(review));
      return due.length === COMPARED_MAX;
    },
  });
}

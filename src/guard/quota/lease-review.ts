// Compares leases that were not renewed for minutes with what is left of their quotas. A quiet caller's lease is kept. But
// when other nodes have used up most of the quota, a quiet node's share of it shrinks too, and the others can lease the rest.
import type { Calendar } from "../../runtime/calendar.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { LeasedCalls } from "../../store/records.ts";
import type { AdminStore } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import type { Allowance, Allowances } from "./allowances.ts";

const CHECK_EVERY_MS = 5000;
// How old the store's last report on a lease may be.
const REVIEW_AFTER_MS = 300_000;
// The most leases that one round compares, in one statement.
const COMPARED_MAX = 500;

interface LeaseReviewOptions {
  readonly store: Pick<AdminStore, "leasedCalls" | "leasedCapCalls">;
  readonly allowances: Allowances;
  readonly breaker: StoreBreaker;
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly log: Log;
}

/** Begins the reviews. Returns a function that ends them, and waits for one in progress. */
export function beginLeaseReviews({ store, allowances, breaker, calendar, clock, log }: LeaseReviewOptions): () => Promise<void> {
  const next = allowances.roundRobin();
  let running: Promise<void> | undefined;
  let hasEnded = false;

  // The leases that are due. Each call checks only the next few, enough that every lease has its turn in time.
  const due = (): readonly Allowance[] => {
    const checks = Math.ceil((allowances.size * CHECK_EVERY_MS) / REVIEW_AFTER_MS);
    const day = calendar.today();
    const dueBeforeMs = clock.monotonicMs() - REVIEW_AFTER_MS;
    const found: Allowance[] = [];
    for (let checked = 0; checked < checks && found.length < COMPARED_MAX; checked++) {
      const allowance = next();
      if (allowance !== undefined && allowance.left(day) > 0 && allowance.reportedAtMs <= dueBeforeMs) {
        found.push(allowance);
      }
    }
    return found;
  };

  const review = async (): Promise<void> => {
    const leases = due();
    if (leases.length === 0 || !breaker.admits()) {
      return;
    }
    const { month } = calendar.today();
    const subjects = leases.map(({ subject }) => subject);
    const ids = subjects.filter((subject) => typeof subject === "string");
    const caps = subjects.filter((subject) => typeof subject !== "string");
    const ofSubscriptions = await breaker.run(() => store.leasedCalls(ids, month));
    const ofCaps = caps.length === 0 ? [] : await breaker.run(() => store.leasedCapCalls(caps, month));
    const reports = new Map<string, Pick<LeasedCalls, "month" | "leased" | "credited">>([
      ...ofSubscriptions.map((report) => [report.subscriptionId, report] as const),
      ...ofCaps.map((report) => [report.capId, report] as const),
    ]);
    for (const lease of leases) {
      const report = reports.get(typeof lease.subject === "string" ? lease.subject : lease.subject.capId);
      if (report !== undefined) {
        lease.compare(report);
      }
    }
  };

  let cancel = (): void => {};
  const checkLater = (): void => {
    cancel = clock.after(CHECK_EVERY_MS, () => {
      running = review()
        .catch((error: unknown) => {
          // The breaker logs that the store is down.
          if (!(error instanceof StoreUnavailable)) {
            log.error({ err: error }, "Leases could not be compared with what is left of their quotas");
          }
        })
        .finally(() => {
          running = undefined;
          if (!hasEnded) {
            checkLater();
          }
        });
    });
  };
  checkLater();
  return async () => {
    hasEnded = true;
    cancel();
    await running;
  };
}

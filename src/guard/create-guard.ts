// Puts the guard of one process together, and takes it apart again without losing a call.
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { GuardStore } from "../store/store.ts";
import { Admitter } from "./admit.ts";
import { Allowances } from "./allowances.ts";
import { type RateLimiter, SharedBuckets } from "./bucket.ts";
import { Credentials } from "./credentials.ts";
import type { Guard } from "./guard.ts";
import { defaultGuardLimits, type GuardLimits } from "./guard-limits.ts";
import { Calendar } from "./month.ts";
import type { Plans } from "./plans.ts";
import { SlotTable } from "./slots.ts";
import { StoreBreaker } from "./store-breaker.ts";
import { UsageCounter } from "./usage.ts";

/** What a guard is made from. */
export interface GuardOptions {
  readonly store: GuardStore;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly log: Log;
  /** Bounds other than the defaults. */
  readonly limits?: Partial<GuardLimits>;
  /** Where several nodes count the second together: makes that limiter out of this node's own, which it falls back to. */
  readonly shareRate?: ((own: SharedBuckets) => RateLimiter) | undefined;
}

/** A guard that can be closed. */
export interface ClosableGuard extends Guard {
  /**
   * Gives back unspent calls and writes the usage. Call it when all calls are settled and before the store is closed. From then on
   * every call is refused. Never rejects.
   */
  close(): Promise<void>;
}

/** The guard of one process. */
export function createGuard({ store, plans, clock, log, limits: some, shareRate }: GuardOptions): ClosableGuard {
  const limits = { ...defaultGuardLimits, ...some };
  const calendar = new Calendar(clock);
  const breaker = new StoreBreaker(clock, log, limits);
  const credentials = new Credentials({ store, breaker, plans, clock, log }, limits);
  const slots = new SlotTable(limits.subscriptionsMax);
  const own = new SharedBuckets(slots.words);
  const rate = shareRate?.(own) ?? own;
  const epoch = (): number => credentials.epoch;
  const allowances = new Allowances({ store, breaker, calendar, clock, log, words: slots.words, epoch, limits }, slots, rate);
  const usage = new UsageCounter(store, clock, log, limits.usageCountsMax);
  const admitter = new Admitter({ credentials, rate, allowances, usage, calendar, clock, log });
  const stopListening = store.onChange(() => credentials.forgetAll());
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    admitter.stop();
    stopListening();
    await allowances.close();
    await usage.close(limits.storeTimeoutMs);
  };
  return {
    admit: (knock) => admitter.admit(knock),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

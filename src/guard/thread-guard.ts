// The guard of one thread. It decides from the memory that all threads share and from its own cache of keys. If that is not enough, it asks
// the thread that owns the store, which may be itself.
import type { Plans } from "../catalogue/plans.ts";
import type { Calendar } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { NodeStatus } from "../store/node-status.ts";
import type { GuardStore } from "../store/store.ts";
import { AdmissionController } from "./admission-controller.ts";
import { UsageCounter } from "./batched-counts.ts";
import type { StoreBreaker } from "./breaker/store-breaker.ts";
import type { CallerIdentification, Guard } from "./guard.ts";
import type { GuardLimits } from "./guard-limits.ts";
import { KEY_REFUSALS } from "./keys/access-refusals.ts";
import { Credentials } from "./keys/credentials.ts";
import type { PublicKey } from "./keys/public-key.ts";
import type { Epoch, SlotWords } from "./memory/slots.ts";
import { principalOf } from "./mesh/mesh-caller.ts";
import { principalRefusals } from "./mesh/mesh-refusals.ts";
import type { MonthLeases } from "./quota/month-lease.ts";
import { type RateLimiter, SharedBuckets } from "./rate/bucket.ts";
import { RefusedSeconds } from "./rate/refused-seconds.ts";
import { RefusalCounter } from "./refusal-counter.ts";

/** Wraps this node's own buckets in a limiter that counts together with other nodes, and falls back to the node's own buckets. */
export type ShareRate = (own: SharedBuckets) => RateLimiter;

export interface ThreadGuardOptions {
  readonly store: Pick<GuardStore, "findCredential" | "addUsage" | "addRefusals">;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, "uuid">;
  readonly log: Log;
  readonly limits: GuardLimits;
  readonly shareRate: ShareRate | undefined;
  readonly breaker: StoreBreaker;
  readonly calendar: Calendar;
  readonly epoch: Epoch;
  readonly slots: SlotWords;
  readonly nodeStatus: NodeStatus;
  readonly leases: MonthLeases;
  /** The key that the operator has made public; undefined if there is none. */
  readonly publicKey?: PublicKey | undefined;
  /** Called whenever counts are dropped, with how many calls are now missing from the history of usage or of refusals. */
  readonly notCounted: (history: CountedHistory, calls: number) => void;
}

/** The histories that accounts can look at: of admitted calls, and of refused ones. */
export type CountedHistory = "usage" | "refusals";

export interface ThreadGuard extends Guard, CallerIdentification {
  /** Ends the streams that are no longer allowed after a change to this account; without an id, any account may have changed. */
  changed(accountId?: string): void;
  /** Refuses every call from now on. */
  stop(): void;
  /** Writes the usage and the refusals. Call it when all calls are settled. Never rejects. */
  close(): Promise<void>;
}

export function createThreadGuard(options: ThreadGuardOptions): ThreadGuard {
  const {
    store,
    plans,
    clock,
    randomness,
    log,
    limits,
    shareRate,
    breaker,
    calendar,
    epoch,
    slots,
    nodeStatus,
    leases,
    publicKey,
    notCounted,
  } = options;
  const lookups = { store, breaker, epoch, plans, clock, log };
  const own = new SharedBuckets(slots);
  const counted = { store, clock, randomness, log, countsMax: limits.usageCountsMax };
  const usage = new UsageCounter({ ...counted, dropped: (calls) => notCounted("usage", calls) });
  const refusals = new RefusalCounter({ ...counted, dropped: (calls) => notCounted("refusals", calls) });
  const controller = new AdmissionController({
    credentials: new Credentials({ ...lookups, refusalsFor: () => KEY_REFUSALS }, limits),
    principalCredentials: new Credentials({ ...lookups, refusalsFor: ({ name }) => principalRefusals(principalOf(name)) }, limits),
    rate: shareRate?.(own) ?? own,
    buckets: own,
    leases,
    usage,
    refusals,
    publicKey,
    refusedSeconds: new RefusedSeconds(slots),
    nodeStatus,
    calendar,
    clock,
    log,
  });
  return {
    admit: (request) => controller.admit(request),
    identify: (request) => controller.identify(request),
    changed: (accountId) => controller.changed(accountId),
    stop: () => controller.stop(),
    async close() {
      await Promise.all([usage.close(limits.storeTimeoutMs), refusals.close(limits.storeTimeoutMs)]);
    },
  };
}

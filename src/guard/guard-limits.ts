// How much the guard keeps, and how long it lets callers wait. The defaults suit one process of any size; tests make them small.
import type { CredentialLimits } from "./credentials.ts";
import type { BreakerLimits } from "./store-breaker.ts";

/** Bounds of the guard. */
export interface GuardLimits extends CredentialLimits, BreakerLimits {
  /** How many subscriptions have calls in memory at once; 64 bytes of shared memory each. */
  readonly subscriptionsMax: number;
  /** How many different usage counts are kept until they can be written. */
  readonly usageCountsMax: number;
}

/** What the product runs with. */
export const defaultGuardLimits: GuardLimits = {
  cachedKeysMax: 10_000,
  lookUpsMax: 64,
  waitersMax: 5000,
  callerWaitMs: 250,
  storeTimeoutMs: 2000,
  probeEveryMs: 1000,
  storeSilenceMs: Number.POSITIVE_INFINITY,
  subscriptionsMax: 65_536,
  usageCountsMax: 100_000,
};

/**
 * What differs where the store is a server across a network, which can fall silent: nobody waits for one that has said nothing for 50 ms.
 * One that is only busy goes on answering somebody. Less than that, and the first calls after a start would be refused: each of their steps
 * takes many times as long as it will later.
 */
export const networkedStoreLimits: Partial<GuardLimits> = { storeSilenceMs: 50 };

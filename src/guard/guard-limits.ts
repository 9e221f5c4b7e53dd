// How much the guard keeps, and how long it lets callers wait. The defaults suit one process of any size; tests make them small.
import type { AllowanceLimits } from "./allowance.ts";
import type { CredentialLimits } from "./credentials.ts";
import type { BreakerLimits } from "./store-breaker.ts";

/** Bounds of the guard. */
export interface GuardLimits extends AllowanceLimits, CredentialLimits, BreakerLimits {
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
  subscriptionsMax: 65_536,
  usageCountsMax: 100_000,
};

// How much the guard keeps in memory, and how long it lets callers wait. The defaults suit a process of any size; tests make them small.
import type { BreakerLimits } from "./breaker/store-breaker.ts";
import type { CredentialLimits } from "./keys/credentials.ts";

export interface GuardLimits extends CredentialLimits, BreakerLimits {
  /** The most subscriptions that may have calls in memory at once. */
  readonly subscriptionsMax: number;
  /** The most usage counts, and the most refusal counts, that are kept until they can be written. */
  readonly usageCountsMax: number;
}

/** How long the return of leases may take when calls in progress have used up the time for shutdown. */
export const RETURN_LEASES_MS = 1000;

/** The limits that the product runs with. */
export const DEFAULT_GUARD_LIMITS: GuardLimits = {
  keysBytesMax: 64 * 1024 * 1024,
  unknownKeysMax: 10_000,
  lookupsMax: 64,
  unknownLookupsMax: 16,
  unknownWaitersMax: 1024,
  waitersMax: 5000,
  callerWaitMs: 250,
  callerWaitMaxMs: 10_000,
  storeTimeoutMs: 2000,
  probeIntervalMs: 1000,
  storeSilenceMs: Number.POSITIVE_INFINITY,
  storeSlowMs: 125,
  subscriptionsMax: 65_536,
  usageCountsMax: 100_000,
};

// More than one, because a process that is short of CPU time reads responses late.
const WAITS_WITHOUT_RESPONSE = 4;
// After a restart, all callers arrive at once. They are served in order, and may wait for a large part of a call's time limit.
const WAITS_WHEN_BUSY = 40;

// The memory of a subscription's lease, measured on 64-bit V8: 970 bytes on the main thread's heap, 128 of shared memory, and the rest in
// the thread that serves its calls.
const LEASE_BYTES = 1300;

// Of one process: for keys with their owners' subscriptions, in all threads together (1,150 bytes each), and for leases of monthly quotas.
// What does not fit is read from the database again when it is needed.
const KEYS_BYTES_MAX = 128 * 1024 * 1024;
const LEASES_BYTES_MAX = 128 * 1024 * 1024;
const DATABASE_WAIT_MS = 250;

/** What the limits are computed from. */
interface GuardConfig {
  readonly database: unknown;
  /** How long a call waits while the database does not respond at all; a few round trips. By default 250. */
  readonly databaseWaitMs?: number;
  /** How many threads remember keys. */
  readonly workers: number;
}

/**
 * The bounds for the configured memory and the time that a call waits for the database. If a remote database has not responded to any
 * caller for that long, callers no longer wait for it. A database that is only busy keeps responding to some: callers wait for it longer,
 * within a bound.
 */
export function guardLimitsOf(config: GuardConfig): GuardLimits {
  const { database, databaseWaitMs = DATABASE_WAIT_MS, workers } = config;
  return {
    ...DEFAULT_GUARD_LIMITS,
    keysBytesMax: Math.floor(KEYS_BYTES_MAX / workers),
    subscriptionsMax: Math.floor(LEASES_BYTES_MAX / LEASE_BYTES),
    callerWaitMs: WAITS_WITHOUT_RESPONSE * databaseWaitMs,
    callerWaitMaxMs: WAITS_WHEN_BUSY * databaseWaitMs,
    storeSlowMs: databaseWaitMs / 2,
    // One round trip serves all lookups that wait for it.
    ...(database !== undefined && { storeSilenceMs: databaseWaitMs, unknownLookupsMax: 64 }),
  };
}

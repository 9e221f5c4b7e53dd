// Reads how much memory a process may use to remember its callers.
import type { Environment } from "./environment.ts";

const MIB = 1024 * 1024;
const BOUNDS = { min: MIB, max: 64 * 1024 * MIB };

/**
 * How much memory a process may use to remember callers. What does not fit is dropped, and read from the database again when it is needed.
 */
export interface CallerMemory {
  /** The memory for keys with their owners' subscriptions, in all threads together. */
  readonly keysBytesMax: number;
  /** The memory for leases of monthly quotas. */
  readonly leasesBytesMax: number;
}

export const DEFAULT_CALLER_MEMORY: CallerMemory = { keysBytesMax: 128 * MIB, leasesBytesMax: 128 * MIB };

/** Reads QUINTET_KEYS_BYTES_MAX and QUINTET_LEASES_BYTES_MAX. */
export const readCallerMemory = (environment: Environment): CallerMemory => ({
  keysBytesMax: environment.integer(
    "QUINTET_KEYS_BYTES_MAX",
    DEFAULT_CALLER_MEMORY.keysBytesMax,
    BOUNDS,
    "How much memory one process may use to remember keys and what they may call, in bytes. It is divided equally among the threads, and a key takes about 1150 bytes in each. If more keys are in use, those that do not fit are looked up in the database again.",
  ),
  leasesBytesMax: environment.integer(
    "QUINTET_LEASES_BYTES_MAX",
    DEFAULT_CALLER_MEMORY.leasesBytesMax,
    BOUNDS,
    "How much memory one process may use for leases of monthly quotas, in bytes: about 1300 for each subscription in use. If more " +
      "subscriptions are in use, leases idle for a second are returned to the database to make room.",
  ),
});

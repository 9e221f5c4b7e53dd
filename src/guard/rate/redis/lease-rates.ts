// Which rates are leased, at which rates nodes lease, and for how long Redis keeps what it knows of that.

/** Rates of at least this are leased. */
export const LEASED_RATE_MIN = 20;

/**
 * Calls take tokens from leases of at least this rate all the time. Smaller buckets have too few tokens for several nodes to hold some:
 * each call asks Redis, and their leases are for outages of Redis only.
 */
export const SPENT_RATE_MIN = 50;

/**
 * The minimum rate of a lease for outages: this part of the bucket's rate, divided by the number of nodes or by `nodesMin` if there are
 * fewer.
 */
export const STANDBY_RATE_MIN = { part: 0.15, nodesMin: 3 };

/**
 * A lease for outages of at most this part of the bucket's rate is reported only with requests and when it is no longer used: the other
 * nodes can do without so little.
 */
export const UNREPORTED_PART = 0.1;

/** For how long after a node's last report Redis counts the tokens that its lease may have used. Longer than the node uses the lease. */
export const LEASE_COUNTED_MS = 12_000;

/** How long Redis remembers after the last heartbeat that it has not lost its memory. */
export const MEMORY_EXPIRES_MS = 3_600_000;

// The names of everything that Quintet keeps in Redis. All of it may be lost at any moment, and all of it expires by itself.

const PREFIX = "quintet:";

/** The bucket of an account and service, named as the guard names their limits. */
export const bucketKey = (name: string): string => `${PREFIX}rate:${name}`;

/** The nodes that count together, in a sorted set by the time of their last heartbeat. */
export const NODES_KEY = `${PREFIX}nodes`;

/** When Redis last lost buckets, so that missing buckets are not mistaken for full ones; 0 if it never did. */
export const MEMORY_KEY = `${PREFIX}memory`;

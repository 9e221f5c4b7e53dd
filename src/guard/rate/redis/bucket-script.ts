// The token bucket in Redis: its keys, and the script that takes tokens from it. Everything in Redis may be lost at any moment.
import { createHash } from "node:crypto";

// The number changes with the contents of the keys: servers of two versions count separately.
const PREFIX = "quintet:3:";

// A script may use only keys that are on the same server, which a Redis Cluster ensures for keys with the same hash tag. So the buckets are
// divided into as many parts as there are tags. These tags are spread evenly over the 16384 slots.
const CLUSTER_TAGS = ["lb", "kz", "yx", "cb", "zx", "hz", "mz", "jb", "wa", "sy", "nz", "ib"];

/** The buckets on one server, and the key of the clock that they share. */
export interface RedisPart {
  readonly clock: string;
  /** The key of the bucket that the guard's limits know by this name. */
  bucket(name: string): string;
}

const partWith = (prefix: string): RedisPart => ({ clock: `${prefix}clock`, bucket: (name) => `${prefix}bucket:${name}` });

/** The parts if all keys are on one Redis: only one. */
export const ONE_PART: readonly RedisPart[] = [partWith(PREFIX)];

export const CLUSTER_PARTS: readonly RedisPart[] = CLUSTER_TAGS.map((tag) => partWith(`${PREFIX}{${tag}}:`));

/** The part that a bucket is in, the same on every server. */
export function partOf(parts: readonly RedisPart[], name: string): RedisPart {
  let hash = 0;
  for (let index = 0; parts.length > 1 && index < name.length; index++) {
    hash = (Math.imul(hash, 31) + name.charCodeAt(index)) >>> 0;
  }
  return parts[hash % parts.length] as RedisPart;
}

/** What the script returns: how many tokens it took, how many are left (in thousandths, negative after a debt), and AMNESTY. */
export type BucketReply = readonly [taken: number, left: number, amnestyMicros: number];

/**
 * Takes tokens from a bucket by the generic cell rate algorithm: its key holds the time at which it will be full. KEYS: the bucket, and the
 * clock. ARGV: the rate, the most tokens that it holds, how many to take, and how many of these it may lack. A negative number to take
 * refunds.
 *
 * The clock is Redis's own, in microseconds. A hash remembers when Redis began to count, when the clock was last read, and what is added to
 * it so that it never goes back.
 *
 * If Redis has just begun to count (it is new, or was flushed) or its clock was set back, nobody knows how full the buckets are. They count
 * as empty, and for one second they fill twice as fast and calls may take up to one more bucketful, for which they wait (AMNESTY is how
 * long this still lasts). After that a bucket holds as much as if it had been full at first, so nobody within their rate is refused, and
 * nobody gets more than one bucketful too much.
 */
const SOURCE = `
local rate, capacity, wanted, debt = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local SECOND = 1000000
local interval = SECOND / rate
local time = redis.call('TIME')
local now = time[1] * SECOND + time[2]
local clock = redis.call('HMGET', KEYS[2], 'added', 'began', 'read')
local added, began, read = tonumber(clock[1] or 0), tonumber(clock[2] or now), tonumber(clock[3] or 0)
local passed = now + added - began
if began + passed + math.min(passed, SECOND) < read then
  added, began, passed = read - now, read, 0
end
now = began + passed + math.min(passed, SECOND)
if now - read >= 100000 or passed == 0 then
  redis.call('HSET', KEYS[2], 'added', added, 'began', began, 'read', now)
end
local amnesty = math.max(0, SECOND - passed)
if amnesty > 0 then
  debt = math.max(debt, rate)
end
local stored = redis.call('GET', KEYS[1])
local full = math.max(now, tonumber(stored or began + SECOND))
local room = math.floor((now - full + 1) / interval + capacity + debt)
local taken = math.max(math.min(wanted, 0), math.min(wanted, room))
if taken > 0 or (taken < 0 and stored) then
  full = math.max(now, full + taken * interval)
  redis.call('SET', KEYS[1], full, 'PX', math.ceil((full - now + SECOND) / 1000))
end
return {taken, math.floor((capacity - (full - now) / interval) * 1000 + 0.5), amnesty}
`;

/** The script, and the hash by which Redis knows it after its first run. */
export const BUCKET_SCRIPT = { source: SOURCE, sha1: createHash("sha1").update(SOURCE).digest("hex") } as const;

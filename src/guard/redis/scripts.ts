// What runs inside of Redis. Both scripts read Redis's own clock, so it does not matter what the nodes' clocks say.
import { createHash } from "node:crypto";

/** A script, and the name by which Redis knows it once it has seen it. */
export interface RedisScript {
  readonly source: string;
  readonly sha1: string;
}

/** A quarter of a microsecond is the smallest step of a time of our days that a Lua number holds exactly. */
export const STEPS_PER_MS = 4000;

const scriptOf = (source: string): RedisScript => ({ source, sha1: createHash("sha1").update(source).digest("hex") });

/**
 * The generic cell rate algorithm, as in the buckets in memory. KEYS: the bucket. ARGV: the interval and the capacity in steps of time,
 * and how many tokens to take: 1, or -1 to put one back. Answers whether that was done, the tokens left, and the steps until there is
 * one more. A bucket is not kept any longer than it takes to be full again. One that is ahead by more than it could be was written before
 * the clock was set back, and counts as full.
 */
export const bucketScript = scriptOf(`
local time = redis.call('TIME')
local now = (time[1] * 1000000 + time[2]) * 4
local interval, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local ahead = (tonumber(redis.call('GET', KEYS[1])) or now) - now
if ahead < 0 or ahead > 2 * capacity then
  ahead = 0
end
local after = ahead + interval * ARGV[3]
if after > capacity then
  return {0, 0, after - capacity}
end
if after > 0 then
  redis.call('SET', KEYS[1], string.format('%.0f', now + after), 'PX', math.ceil(after / ${STEPS_PER_MS}))
else
  redis.call('DEL', KEYS[1])
  after = 0
end
local remaining = math.floor((capacity - after) / interval)
return {1, remaining, after - capacity + (remaining + 1) * interval}
`);

/**
 * A node's sign of life. KEYS: the set of nodes. ARGV: the node, and how many milliseconds a sign of life holds. Answers how many nodes
 * are alive.
 */
export const heartbeatScript = scriptOf(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local holds = tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - holds)
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + holds, '+inf')
redis.call('PEXPIRE', KEYS[1], holds)
return redis.call('ZCARD', KEYS[1])
`);

// What runs inside Redis. Both scripts read Redis's own clock, so the nodes' clocks may differ.
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
 * The arithmetic of `token-bucket.ts` in Lua. It finds the time in `now`, in steps. KEYS: the bucket. ARGV: the interval and the capacity in
 * steps; how many tokens to take, negative to put some back; 1 where they have been spent already and cannot be refused; how far a bucket
 * that is not there is ahead; and how far one may be ahead. Returns whether it was done, the tokens left, and the steps until there is one
 * more. A bucket is not kept any longer than it takes to be full again. One that is ahead by more than it may be was written before the
 * clock was set back, and counts as full.
 */
export const TAKE_TOKENS = `
local interval, capacity, tokens = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local full = tonumber(redis.call('GET', KEYS[1]))
local ahead = full and full - now or tonumber(ARGV[5])
if ahead < 0 or ahead > tonumber(ARGV[6]) then
  ahead = 0
end
local after = ahead + interval * tokens
if tokens > 0 and after > capacity then
  if ARGV[4] ~= '1' then
    return {0, 0, after - capacity}
  end
  after = math.max(ahead, capacity)
end
if after > 0 then
  redis.call('SET', KEYS[1], string.format('%.0f', now + after), 'PX', math.ceil(after / ${STEPS_PER_MS}))
else
  redis.call('DEL', KEYS[1])
  after = 0
end
local remaining = math.max(0, math.floor((capacity - after) / interval))
return {1, remaining, after - capacity + (remaining + 1) * interval}
`;

/** Takes tokens at Redis's own time. KEYS, ARGV and the answer are those of `TAKE_TOKENS`. */
export const BUCKET_SCRIPT = scriptOf(`
local time = redis.call('TIME')
local now = (time[1] * 1000000 + time[2]) * ${STEPS_PER_MS / 1000}
${TAKE_TOKENS}`);

// How long Redis remembers after the last heartbeat that it has not lost its memory.
const MEMORY_HOLDS_MS = 3_600_000;

/**
 * A node's heartbeat. KEYS: the set of nodes that count together, and when Redis lost its memory. ARGV: the node; after how many milliseconds
 * a heartbeat expires; 1 where the node counts together with the others, 0 where it counts by itself; 1 where it has counted together with
 * them before. Returns how many nodes count together, and how many milliseconds ago Redis lost what they had counted.
 */
export const HEARTBEAT_SCRIPT = scriptOf(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local holds = tonumber(ARGV[2])
if ARGV[3] == '1' then
  redis.call('ZADD', KEYS[1], now, ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - holds)
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + holds, '+inf')
redis.call('PEXPIRE', KEYS[1], holds)
local lost = tonumber(redis.call('GET', KEYS[2])) or (ARGV[4] == '1' and now or 0)
redis.call('SET', KEYS[2], string.format('%.0f', lost), 'PX', ${MEMORY_HOLDS_MS})
return {redis.call('ZCARD', KEYS[1]), now - lost}
`);

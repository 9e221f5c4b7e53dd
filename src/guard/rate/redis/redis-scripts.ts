// What runs inside Redis. Both scripts read Redis's own clock, so the nodes' clocks may differ.
import { createHash } from "node:crypto";
import { TOKEN_BUCKET_LUA } from "../../../runtime/token-bucket-lua.ts";

/** A script, and the hash by which Redis knows it once it has seen it. */
export interface RedisScript {
  readonly source: string;
  readonly sha1: string;
}

/** A quarter of a microsecond: the smallest step in which a Lua number holds a present-day time exactly. */
export const STEPS_PER_MS = 4000;

const scriptOf = (source: string): RedisScript => ({ source, sha1: createHash("sha1").update(source).digest("hex") });

/**
 * Takes tokens with the functions of `TOKEN_BUCKET_LUA`, before it. It finds the time in `now`, in steps. KEYS: the bucket. ARGV: the
 * interval and the capacity in steps; how many tokens to take, negative to refund some; 1 where they have been spent already and cannot be
 * refused; how far a bucket that is not there is ahead; how far one may be ahead; and the earliest time at which it can be full, as far as
 * the asker knows. Returns whether it was done, the tokens left, the steps until there is one more, and when the bucket will be full. A
 * bucket is not kept any longer than it takes to be full again. One that is ahead by more than it may be was written before the clock was
 * set back, and counts as full.
 */
export const TAKE_TOKENS = `
local interval, capacity, tokens = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local full_at = tonumber(redis.call('GET', KEYS[1]))
local ahead = full_at and ahead_at(math.max(full_at, tonumber(ARGV[7])), now) or tonumber(ARGV[5])
if ahead > tonumber(ARGV[6]) then
  ahead = 0
end
local take = ARGV[4] == '1' and spend_tokens or take_tokens
local after = take(ahead, tokens, interval, capacity)
if after ~= REFUSED then
  ahead = after
  if after > 0 then
    redis.call('SET', KEYS[1], string.format('%.0f', now + after), 'PX', math.ceil(after / ${STEPS_PER_MS}) + 1)
  else
    redis.call('DEL', KEYS[1])
  end
end
local taken = after == REFUSED and 0 or 1
return {taken, tokens_left(ahead, interval, capacity), until_next_token(ahead, interval, capacity), now + ahead}
`;

// How long Redis remembers after the last heartbeat that it has not lost its memory.
const MEMORY_HOLDS_MS = 3_600_000;

/**
 * Takes tokens at Redis's own time. KEYS: the bucket, and when Redis last lost buckets. ARGV and the response are those of `TAKE_TOKENS`,
 * except that ARGV[5] is 0: how far a missing bucket is ahead is found here. A missing bucket is full, unless Redis has lost it. That is
 * known where its other key is gone too, and where the asker knows that the bucket cannot be full yet. Then all missing buckets count as
 * empty at that moment.
 */
export const BUCKET_SCRIPT = scriptOf(`
${TOKEN_BUCKET_LUA}
local time = redis.call('TIME')
local now = (time[1] * 1000000 + time[2]) * ${STEPS_PER_MS / 1000}
if redis.call('EXISTS', KEYS[1]) == 0 then
  local lost, ahead = tonumber(redis.call('GET', KEYS[2])), tonumber(ARGV[7]) - now
  if not lost or (ahead > ${STEPS_PER_MS} and ahead <= tonumber(ARGV[6])) then
    lost = math.ceil(now / ${STEPS_PER_MS})
    redis.call('SET', KEYS[2], string.format('%.0f', lost), 'PX', ${MEMORY_HOLDS_MS})
  end
  ahead = math.max(ahead_after_empty(now - lost * ${STEPS_PER_MS}, tonumber(ARGV[1]), tonumber(ARGV[2])), ahead)
  if ahead > 0 then
    -- Written even if the call is refused: the next one must not take the bucket for lost once more.
    redis.call('SET', KEYS[1], string.format('%.0f', now + ahead), 'PX', math.ceil(ahead / ${STEPS_PER_MS}) + 1)
  end
end
${TAKE_TOKENS}`);

/**
 * A node's heartbeat. KEYS: the set of nodes that count together, when Redis last lost buckets, and a bucket that is no account's. ARGV:
 * the node; after how many milliseconds a heartbeat expires; 1 where the node counts together with the others, 0 where it counts by itself;
 * 1 where it or others may have counted in Redis before. Returns how many nodes count together. It begins with what a bucket needs: a Redis
 * that is out of memory, or that does not let us write buckets, refuses that, and lets through all that comes after a write.
 */
export const HEARTBEAT_SCRIPT = scriptOf(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local holds = tonumber(ARGV[2])
redis.call('SET', KEYS[3], '0', 'PX', holds)
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
return redis.call('ZCARD', KEYS[1])
`);

// The scripts that run inside Redis. They read Redis's own clock, so the nodes' clocks may differ.
import { createHash } from "node:crypto";

/** A script, and the hash by which Redis knows it after its first run. */
export interface RedisScript {
  readonly source: string;
  readonly sha1: string;
}

const scriptOf = (source: string): RedisScript => ({ source, sha1: createHash("sha1").update(source).digest("hex") });

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

/** For how long after a node's last report Redis counts the tokens that its lease may have used. Longer than the node uses the lease. */
const LEASE_COUNTED_MS = 12_000;

// How long it takes the nodes to notice that another node is gone.
const NOTICED_MS = 1000;

// How long Redis remembers after the last heartbeat that it has not lost its memory.
const MEMORY_EXPIRES_MS = 3_600_000;

/**
 * Takes tokens from a bucket, and leases a part of its rate. The time is in `now`, in microseconds. KEYS: the bucket, and when Redis
 * last lost buckets. ARGV:
 *
 *  1. The bucket's rate, in tokens per second. It holds one second's worth, and at least one.
 *  2. How many tokens to take, for the waiting calls.
 *  3. The node's name.
 *  4. to 8. The node's report on its lease: the lease's number, the tokens taken so far, the time in microseconds of the node's clock, the
 *     leased rate, and how many unused tokens the node keeps.
 *  9. 1 if the node wants a lease, 0 if it does not. For a lease that is only for outages of Redis: 2, or 3 if the minimum rate is enough.
 * 10. Tokens that the node admitted while it counted on its own.
 * 11. The earliest time at which the bucket can be full, as the node knows it.
 * 12. How many of the waiting calls have arrived since the last request.
 *
 * Returns:
 *
 * - how many tokens were taken
 * - the tokens left, in thousandths
 * - in how many microseconds there will be one more
 * - when the bucket will be full
 * - the leased rate, in thousandths
 * - the tokens that are added to the lease at once, in thousandths
 * - how many tokens a second the node uses, in thousandths
 * - 1 if more tokens may be left than is known, because Redis has lost the bucket or some nodes were silent recently
 *
 * A bucket is a packed list: how many tokens it had, when that was, when Redis lost the bucket (0 if it did not), until when more tokens
 * may be left than is known, and the nodes by name. Each node is a list too:
 *
 * - its lease's number, and the tokens taken
 * - the time of its last report, by its own clock and by Redis's
 * - the leased rate, and how many tokens it may take at once
 * - how many tokens per second it used, averaged over the last second and over the last ten
 * - when it last sent a request
 * - when its last report was made, by Redis's clock, however late the report arrived
 */
export const TAKE_TOKENS = `
local SECOND, LEASED_RATE_MIN, COUNTED = 1000000, ${LEASED_RATE_MIN}, ${LEASE_COUNTED_MS * 1000}
-- After a loss, a leased bucket fills up only when all nodes have reported their leases.
local REPORTED = 700000
-- For how long after it became unknown whether more tokens are left, calls wait instead of being refused.
local UNSURE = 30 * SECOND
-- A lease whose last report is older than one second minus this time may seem to hold many more tokens than it does.
local OVERDUE = 200000
-- Averaging over a longer time makes the estimate of each node's share of the use more exact.
local LONG_USE_SPAN = 10 * SECOND
local NUMBER, TAKEN, AT, SINCE, RATE, ONCE, USE, LONG_USE, ASKED, MADE = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
local rate, wanted, name = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local number, taken, at, current_rate, kept = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local wants_lease, is_standby = ARGV[9] ~= '0', tonumber(ARGV[9]) >= 2
local capacity = math.max(1, rate)
local reported = rate < LEASED_RATE_MIN and 0 or REPORTED

local packed = redis.call('GET', KEYS[1])
local tokens, counted_at, lost_at, unsure_until, nodes
if packed then
  tokens, counted_at, lost_at, unsure_until, nodes = unpack(cmsgpack.unpack(packed))
end
local own = nodes and nodes[name]
if not packed or (current_rate > 0 and not own) then
  -- A missing bucket is full, unless Redis has lost it.
  local lost = tonumber(redis.call('GET', KEYS[2]))
  local ahead = tonumber(ARGV[11]) - now
  if not lost or current_rate > 0 or (ahead > 1000 and ahead <= 2 * math.max(capacity / rate * SECOND, COUNTED)) then
    lost = math.floor(now / 1000)
    redis.call('SET', KEYS[2], string.format('%.0f', lost), 'PX', ${MEMORY_EXPIRES_MS})
  end
  if not packed then
    lost = lost * 1000
    nodes, counted_at, unsure_until = {}, now, 0
    tokens = math.min(capacity, (now - lost - reported) * rate / SECOND)
    lost_at = tokens < capacity and lost or 0
  elseif lost_at == 0 then
    -- A node that did not know of the loss has created the bucket again.
    tokens, lost_at = math.min(tokens, 0) - reported * rate / SECOND, now
  end
  unsure_until = lost_at > 0 and now + UNSURE or 0
end

local count = 0
for _ in pairs(nodes) do
  count = count + 1
end
-- The other nodes can do without so little, so such a lease need not be reported.
local small = is_standby and ${STANDBY_RATE_MIN.part / STANDBY_RATE_MIN.nodesMin} * rate * 1.001 or 0
local least = is_standby and ${STANDBY_RATE_MIN.part} * rate / math.max(${STANDBY_RATE_MIN.nodesMin}, count) or 0

-- The tokens that were added, less what silent nodes may have taken more than a second ago.
local filled = math.max(0, now - counted_at) * rate / SECOND
local all_reported = true
for other, node in pairs(nodes) do
  node[SINCE] = math.min(node[SINCE], now)
  node[ASKED] = math.min(node[ASKED], now)
  -- Older servers do not write the time of the last report.
  node[MADE] = math.min(node[MADE] or node[SINCE], now)
  local old = now - SECOND - node[SINCE]
  if node[RATE] > 0 and old > 0 then
    filled = filled - node[RATE] * old / SECOND
    node[TAKEN] = node[TAKEN] + node[RATE] * old / SECOND
    node[SINCE] = node[SINCE] + old
  end
  local is_due = node[RATE] > small
  if is_due and old > 0 then
    unsure_until = now + UNSURE
  elseif is_due and old > -OVERDUE then
    unsure_until = math.max(unsure_until, now + 1)
  end
  if is_due and now - node[MADE] > SECOND then
    all_reported = false
    unsure_until = now + UNSURE
  end
  if now - node[ASKED] > COUNTED then
    filled = filled - (node[RATE] > 0 and node[RATE] + node[ONCE] or 0)
    nodes[other] = nil
  end
end
tokens = math.min(capacity, tokens + filled)
own = nodes[name]

-- The report.
if own and own[NUMBER] ~= number then
  tokens = tokens - own[ONCE] - own[RATE] * (now - own[SINCE]) / SECOND
  own = nil
end
local spent, passed = 0, 0
if not own then
  own = {number, taken, at, now, current_rate, kept, current_rate, current_rate, now, now}
  nodes[name] = own
elseif at >= own[AT] then
  passed = at - own[AT]
  spent = taken - own[TAKEN]
  tokens = math.min(capacity, tokens - spent)
  -- Reports take at least as long to arrive as the fastest did. Clocks may differ by a thousandth.
  own[SINCE] = math.max(now - SECOND / 2, math.min(now, own[SINCE] + passed * 1.001))
  own[MADE] = math.min(now, own[MADE] + passed * 1.001)
  own[TAKEN], own[AT], own[RATE], own[ONCE] = taken, at, current_rate, kept
else
  current_rate = math.max(current_rate, own[RATE])
end
if passed > 0 then
  for place, span in pairs({[USE] = SECOND, [LONG_USE] = LONG_USE_SPAN}) do
    local fresh = 1 - math.exp(-passed / span)
    own[place] = own[place] * (1 - fresh) + math.max(0, spent) * SECOND / passed * fresh
  end
end
own[USE], own[LONG_USE] = own[USE] + tonumber(ARGV[12]), own[LONG_USE] + tonumber(ARGV[12]) * SECOND / LONG_USE_SPAN
local use = math.max(own[USE], own[LONG_USE])
own[ASKED] = now
if tonumber(ARGV[10]) > 0 then
  tokens = math.max(math.min(tokens, 0), tokens - tonumber(ARGV[10]))
  unsure_until = now + UNSURE
end

-- The tokens that no node holds.
local leased, used, below = 0, 0, 0
local free = tokens
for other, node in pairs(nodes) do
  free = free - node[ONCE] - node[RATE] * (now - node[SINCE]) / SECOND
  used = used + node[LONG_USE] * (node[RATE] > 0 and 1 or math.exp((node[ASKED] - now) / SECOND))
  if other ~= name then
    leased = leased + node[RATE]
    below = below + math.max(0, least - node[RATE])
  end
end
local got = math.max(0, math.min(wanted, math.floor(free + 0.000001)))
free, tokens = free - got, tokens - got

-- The lease: more than the node uses, and enough for a few calls; or its share of the rate, if all use more than that.
local lease, once = 0, 0
if wants_lease then
  local enough = is_standby and 0 or rate / 2 / math.max(3, count)
  lease = math.min(math.max(1.5 * use, enough), rate * own[LONG_USE] / used, rate - leased - below)
  if lost_at > 0 and now - lost_at < REPORTED then
    lease = math.min(current_rate, lease)
  end
  if is_standby then
    local is_used = ARGV[9] == '2' and use >= (current_rate > small and 0.5 or 1.2)
    lease = math.min(math.max(is_used and lease or 0, least), rate - leased)
  elseif use < (current_rate > 0 and 0.5 or 1.5) or lease < 1 then
    lease = 0
  end
  lease = math.max(0, math.floor(lease * 1000) / 1000)
  if lease > 0 and not is_standby then
    once = math.max(0, math.min(free, math.max(2, math.min(use / 5, capacity / 20)) - kept))
    once = math.floor(once * 1000) / 1000
    free, own[ONCE] = free - once, own[ONCE] + once
  end
end
-- Until the node has the reply, it takes tokens at its former rate.
own[RATE] = math.max(current_rate, lease)
if tokens >= capacity - 0.000001 then
  lost_at = 0
  -- Right after a silence, other nodes may still seem to hold the whole bucket, and the first reports to arrive may have been made before
  -- it.
  if free > capacity / 4 and all_reported and now - own[MADE] < SECOND then
    unsure_until = 0
  end
end

-- Kept until it is full: nodes know when that will be, and if it disappeared sooner, they would think that Redis had lost it.
local full_in = math.ceil((capacity - tokens) * SECOND / rate)
local kept_ms = math.ceil(full_in / 1000)
if spent < 0 then
  kept_ms = math.max(kept_ms, redis.call('PTTL', KEYS[1]))
end
if wants_lease then
  -- A full bucket is kept, too: only Redis knows how much of it each node uses.
  kept_ms = math.max(kept_ms, 2000)
end
if leased + own[RATE] > 0 then
  kept_ms = math.max(kept_ms, COUNTED / 1000)
end
if kept_ms > 0 then
  redis.call('SET', KEYS[1], cmsgpack.pack({tokens, now, lost_at, unsure_until, nodes}), 'PX', kept_ms + 1)
else
  redis.call('DEL', KEYS[1])
end
local left = math.max(0, free)
local until_next = math.ceil((math.floor(left + 0.000001) + 1 - free) * SECOND / rate)
local unsure = now < unsure_until and 1 or 0
return {got, math.floor(left * 1000 + 0.001), until_next, now + full_in, lease * 1000, once * 1000, math.floor(use * 1000), unsure}
`;

/** Takes tokens at Redis's own time. KEYS, ARGV and the response are those of `TAKE_TOKENS`. */
export const BUCKET_SCRIPT = scriptOf(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
${TAKE_TOKENS}`);

/**
 * A node's heartbeat. KEYS: the set of nodes that count together, the set of nodes that recently did, when Redis last lost buckets, and the
 * node's own key. ARGV: the node; after how many milliseconds a heartbeat expires; 1 if the node counts together with the others, 0 if it
 * counts on its own; 1 if any node may have counted in Redis before. Returns how many nodes count together, and how many did recently. The
 * script begins with a write, as the bucket script may: a Redis that is out of memory, or that does not let us write buckets, refuses the
 * first write of a script, but not a later one.
 */
export const HEARTBEAT_SCRIPT = scriptOf(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local holds = tonumber(ARGV[2])
redis.call('SET', KEYS[4], '0', 'PX', holds)
local function count(key, holds)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - holds)
  redis.call('ZREMRANGEBYSCORE', key, now + holds, '+inf')
  redis.call('PEXPIRE', key, holds)
  return redis.call('ZCARD', key)
end
if ARGV[3] == '1' then
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('ZADD', KEYS[2], now, ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
local lost = tonumber(redis.call('GET', KEYS[3])) or (ARGV[4] == '1' and now or 0)
redis.call('SET', KEYS[3], string.format('%.0f', lost), 'PX', ${MEMORY_EXPIRES_MS})
return {count(KEYS[1], holds), count(KEYS[2], ${LEASE_COUNTED_MS - NOTICED_MS})}
`);

// The script that takes tokens from a bucket inside Redis. It reads Redis's own clock, so the nodes' clocks may differ.
import { LEASE_COUNTED_MS, LEASED_RATE_MIN, MEMORY_EXPIRES_MS, STANDBY_RATE_MIN, UNREPORTED_PART } from "./lease-rates.ts";
import { scriptOf } from "./redis-script.ts";

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
 * 13. How many more tokens the lease could hold.
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
 * A bucket is a hash. Each node has a field with the node's name, a packed list:
 *
 * - its lease's number, and the tokens taken
 * - the time of its last report, by its own clock and by Redis's
 * - the leased rate, and how many tokens it may take at once
 * - how many tokens per second it used, averaged over the last second and over the last ten
 * - when it last sent a request
 * - when its last report was made, by Redis's clock, however late the report arrived
 *
 * The field without a name is a packed list, too:
 *
 * - how many tokens the bucket had, how many it would have lacked if it had been full a second before, and when that was
 * - when Redis lost the bucket (0 if it did not), and until when more tokens may be left than is known
 * - when all nodes were last reviewed, and how many there are
 * - the sums of the nodes' leased rates, of the tokens that their leases may have taken, and of what they use
 * - the minimum rate of a lease, and by how much in total the nodes' leases are below it
 *
 * A script reads its own node and the sums. Only a review reads all nodes, at about 1.4 µs each: once in as many milliseconds as there are
 * nodes, but ten times a second if there are more than a hundred. So a script takes 12 µs however many nodes use the bucket, or 25 µs if
 * the bucket is in no cache of the processor.
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
-- The time between two reviews, in microseconds: for each node, the minimum, and the maximum.
local REVIEW_PER_NODE, REVIEW_MIN, REVIEW_MAX = 1000, 4000, 100000
-- A lease of a lower rate would take more than 2.5 s to have a token.
local STANDBY_MIN = 0.4
local NUMBER, TAKEN, AT, SINCE, RATE, ONCE, USE, LONG_USE, ASKED, MADE = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
local rate, wanted, name = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local number, taken, at, current_rate, kept = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local wants_lease, is_standby = ARGV[9] ~= '0', tonumber(ARGV[9]) >= 2
local capacity = math.max(1, rate)
local reported = rate < LEASED_RATE_MIN and 0 or REPORTED

local read = redis.call('HMGET', KEYS[1], '', name)
local packed, own = read[1], read[2] and cmsgpack.unpack(read[2])
local tokens, recent, counted_at, lost_at, unsure_until, reviewed_at, count, leased, held, used, least, below
if packed then
  tokens, recent, counted_at, lost_at, unsure_until, reviewed_at, count, leased, held, used, least, below = unpack(cmsgpack.unpack(packed))
end
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
    recent, counted_at, unsure_until, reviewed_at, count, leased, held, used, least, below = 0, now, 0, 0, 0, 0, 0, 0, 0, 0
    tokens = math.min(capacity, (now - lost - reported) * rate / SECOND)
    lost_at = tokens < capacity and lost or 0
  elseif lost_at == 0 then
    -- A node that did not know of the loss has created the bucket again.
    tokens, lost_at = math.min(tokens, 0) - reported * rate / SECOND, now
  end
  unsure_until = lost_at > 0 and now + UNSURE or 0
end

-- Leases up to this rate need not be reported.
local unreported = is_standby and ${UNREPORTED_PART} * rate * 1.001 or 0
local review_after = math.max(REVIEW_MIN, math.min(REVIEW_MAX, count * REVIEW_PER_NODE))
local is_review = now < counted_at or now - reviewed_at >= review_after

local function tokens_held(node)
  return node[ONCE] + node[RATE] * (now - node[SINCE]) / SECOND
end
local function use_at(node, time)
  return node[LONG_USE] * (node[RATE] > 0 and 1 or math.exp(math.min(0, node[ASKED] - time) / SECOND))
end

-- From here on, the sums are those of the other nodes.
held = held + leased * (now - counted_at) / SECOND
if own then
  count, leased, held = count - 1, leased - own[RATE], held - tokens_held(own)
  used, below = used - use_at(own, reviewed_at), below - math.max(0, least - own[RATE])
end

-- The tokens that were added, less those that silent nodes may have taken and that their leases can no longer hold.
local filled = math.max(0, now - counted_at) * rate / SECOND
local all_reported = true
-- Returns whether the node still counts, and whether it has changed.
local function count_silence(node)
  local is_ahead = math.max(node[SINCE], node[ASKED], node[MADE]) > now
  node[SINCE], node[ASKED], node[MADE] = math.min(node[SINCE], now), math.min(node[ASKED], now), math.min(node[MADE], now)
  -- A lease holds the tokens of one second, and at least one.
  local old = now - math.max(SECOND, SECOND / node[RATE]) - node[SINCE]
  local is_silent = node[RATE] > 0 and old > 0
  if is_silent then
    filled = filled - node[RATE] * old / SECOND
    node[TAKEN] = node[TAKEN] + node[RATE] * old / SECOND
    node[SINCE] = node[SINCE] + old
  end
  local is_due = node[RATE] > unreported
  if is_due and old > 0 then
    unsure_until = now + UNSURE
  elseif is_due and old > -OVERDUE then
    unsure_until = math.max(unsure_until, now + review_after + 1)
  end
  if is_due and now - node[MADE] > SECOND then
    all_reported = false
    unsure_until = now + UNSURE
  end
  local is_counted = now - node[ASKED] <= COUNTED
  if not is_counted and node[RATE] > 0 then
    filled = filled - tokens_held(node)
  end
  return is_counted, is_ahead or is_silent
end
if own and not count_silence(own) then
  own = nil
end
if is_review then
  least = is_standby and ${STANDBY_RATE_MIN.part} * rate / math.max(${STANDBY_RATE_MIN.nodesMin}, count + 1) or 0
  least = least < STANDBY_MIN and 0 or least
  reviewed_at, count, leased, held, used, below = now, 0, 0, 0, 0, 0
  local all = redis.call('HGETALL', KEYS[1])
  for index = 1, #all, 2 do
    local other = all[index]
    if other ~= '' and other ~= name then
      local node = cmsgpack.unpack(all[index + 1])
      local is_counted, is_changed = count_silence(node)
      if not is_counted then
        redis.call('HDEL', KEYS[1], other)
      else
        count, leased, held = count + 1, leased + node[RATE], held + tokens_held(node)
        used, below = used + use_at(node, now), below + math.max(0, least - node[RATE])
        if is_changed then
          redis.call('HSET', KEYS[1], other, cmsgpack.pack(node))
        end
      end
    end
  end
end
tokens = math.min(capacity, tokens + filled)
recent = math.max(0, recent - math.max(0, now - counted_at) * rate / SECOND)

-- The report.
if own and own[NUMBER] ~= number then
  tokens = tokens - tokens_held(own)
  own = nil
end
local spent, passed = 0, 0
if not own then
  own = {number, taken, at, now, current_rate, kept, current_rate, current_rate, now, now}
elseif at >= own[AT] then
  passed = at - own[AT]
  spent = taken - own[TAKEN]
  if own[RATE] > 0 and now - own[MADE] > SECOND then
    -- The node was silent, and has taken fewer tokens than was assumed. The others are returned, but never so many that more would be left
    -- than if the bucket had been full before what was taken during the last second. That is what the lease lacks.
    recent = recent + tonumber(ARGV[13])
    tokens = math.min(capacity - recent, tokens - spent)
  else
    recent = recent + math.max(0, spent)
    tokens = math.min(capacity, tokens - spent)
  end
  -- Reports take at least as long to arrive as the fastest did. Clocks may differ by a thousandth.
  own[SINCE] = math.max(now - SECOND, math.min(now, own[SINCE] + passed * 1.001))
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
local free = tokens - held - tokens_held(own)
local got = math.max(0, math.min(wanted, math.floor(free + 0.000001)))
free, tokens, recent = free - got, tokens - got, recent + got

-- The lease: more than the node uses, and enough for a few calls; or its share of the rate, if all use more than that.
local lease, once = 0, 0
if wants_lease then
  -- The use from which a lease is worthwhile. It is higher if the rate is small for so many nodes: their leases would hold all tokens.
  local worthwhile = math.min(4, 4 * count / rate)
  local enough = is_standby and 0 or rate / 2 / math.max(3, count + 1)
  lease = math.min(math.max(1.5 * use, enough), rate * own[LONG_USE] / (used + own[LONG_USE]), rate - leased - below)
  if lost_at > 0 and now - lost_at < REPORTED then
    lease = math.min(current_rate, lease)
  end
  if is_standby then
    local is_used = ARGV[9] == '2' and use >= math.max(1.2, worthwhile) / (current_rate > least * 1.01 and 2.4 or 1)
    if 1.5 * own[LONG_USE] <= unreported and use < 1.2 * unreported then
      lease = math.min(lease, unreported)
    end
    lease = math.min(math.max(is_used and lease or 0, least), rate - leased)
    lease = lease < STANDBY_MIN and 0 or lease
  elseif use < math.max(1.5, worthwhile) / (current_rate > 0 and 3 or 1) or lease < 1 then
    lease = 0
  end
  lease = math.max(0, math.floor(lease * 1000) / 1000)
  if lease > 0 then
    -- For an outage, the node has two tokens ready, unless the bucket has too few.
    local ready = is_standby and math.min(2, free - 0.75 * capacity) or math.min(free, math.max(2, math.min(use / 5, capacity / 20)))
    once = math.floor(math.max(0, ready - kept) * 1000) / 1000
    free, own[ONCE] = free - once, own[ONCE] + once
  end
end
-- Until the node has the reply, it takes tokens at its former rate.
own[RATE] = math.max(current_rate, lease)
if tokens >= capacity - 0.000001 then
  lost_at = 0
  -- Right after a silence, other nodes may still seem to hold the whole bucket, and the first reports to arrive may have been made before
  -- it.
  if free > capacity / 4 and is_review and all_reported and now - own[MADE] < SECOND then
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
  count, leased, held, used = count + 1, leased + own[RATE], held + tokens_held(own), used + own[LONG_USE]
  below = below + math.max(0, least - own[RATE])
  local sums = {tokens, recent, now, lost_at, unsure_until, reviewed_at, count, leased, held, used, least, below}
  redis.call('HSET', KEYS[1], '', cmsgpack.pack(sums), name, cmsgpack.pack(own))
  redis.call('PEXPIRE', KEYS[1], kept_ms + 1)
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

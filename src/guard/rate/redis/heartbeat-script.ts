// The script that runs inside Redis for a node's heartbeat. It reads Redis's own clock, so the nodes' clocks may differ.
import { LEASE_COUNTED_MS, MEMORY_EXPIRES_MS } from "./lease-rates.ts";
import { scriptOf } from "./redis-script.ts";

// How long it takes the nodes to notice that another node is gone.
const NOTICED_MS = 1000;

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

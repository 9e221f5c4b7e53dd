// The arithmetic of `token-bucket.ts` in Lua, for scripts inside Redis. Each function does the same as the one of its name, with a
// size as its last two arguments. The times are whole numbers of at most 53 bits, which a Lua number represents exactly.
import { REFUSED } from "./token-bucket.ts";

/** The beginning of every script that works on buckets. */
export const TOKEN_BUCKET_LUA = `
local REFUSED = ${REFUSED}
local function ahead_at(full_at, now)
  return math.max(0, full_at - now)
end
local function ahead_after_empty(elapsed, interval, capacity)
  return math.max(0, math.ceil(capacity - elapsed))
end
local function take_tokens(ahead, tokens, interval, capacity)
  local after = math.max(0, ahead + interval * tokens)
  if tokens > 0 and after > capacity then
    return REFUSED
  end
  return after
end
local function spend_tokens(ahead, tokens, interval, capacity)
  local after = take_tokens(ahead, tokens, interval, capacity)
  if after == REFUSED then
    return math.max(ahead, capacity)
  end
  return after
end
local function tokens_left(ahead, interval, capacity)
  return math.max(0, math.floor((capacity - ahead) / interval))
end
local function until_next_token(ahead, interval, capacity)
  return ahead - capacity + (tokens_left(ahead, interval, capacity) + 1) * interval
end
`;

// The access check for the services that operators and tools call without a key: health and reflection. It charges no quota. Because these
// callers are unknown, it limits how often a network may call, and how large its messages may be.
import { type ContextKey, createContextKey } from "@connectrpc/connect";
import { NetworkThrottle, type RateLimit, takeAll } from "@quintet/guard";
import type { AccessCheck } from "../gateway/access-check.ts";
import type { MessageLimits } from "../gateway/rpc/codec.ts";
import type { Admitted } from "../guard/guard.ts";
import type { Problem } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";

/** The longest message that the services accept. None of their requests is longer than a few names. */
const MESSAGE_BYTES_MAX = 4096;
const MESSAGE_LIMITS: MessageLimits = {
  bodyBytesMax: MESSAGE_BYTES_MAX,
  messageBytesMax: MESSAGE_BYTES_MAX,
  allowsGzip: true,
  isCallerKnown: false,
};

// A response is valid only briefly.
const HEADERS = { "cache-control": "no-store" };

/** Where a handler finds the address of its caller: `context.values.get(peerKey)`. */
export const peerKey: ContextKey<string> = createContextKey("", { description: "the address of a caller without a key" });

/** Admits all callers within the rate limit, which each thread counts separately. */
export function createPublicCheck(clock: Pick<Clock, "monotonicMs">, limit: RateLimit): AccessCheck {
  const throttle = new NetworkThrottle(clock, limit);
  return {
    headers: HEADERS,
    messageLimits: MESSAGE_LIMITS,
    admit({ client: { address } }) {
      const waitMs = takeAll(throttle.attempts(address));
      return waitMs > 0 ? { admitted: false, problem: tooManyCalls(waitMs) } : admitted(address);
    },
  };
}

// Nothing is charged, so there is nothing to settle, and a stream continues for as long as its caller likes.
function admitted(peer: string): Admitted {
  const caller = { key: peerKey, value: peer };
  return { admitted: true, caller, settle: () => {}, renew: () => admitted(peer), watch: () => () => {} };
}

const tooManyCalls = (retryAfterMs: number): Problem => ({
  reason: "RATE_LIMITED",
  message: `Too many calls from this network; retry in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s.`,
  retryAfterMs: Math.ceil(retryAfterMs),
});

// Remembers which origins asked us to wait, and for how long.
import type { Clock } from "../runtime/clock.ts";
import { UpstreamFault } from "./fault.ts";

// An upstream has a handful of origins; the limit guards against a list of mirrors that grows without end.
const ORIGINS_MAX = 64;

/** The origins that must not be queried yet. */
export interface RetryAfterTracker {
  /**
   * Records that an origin responded with `status` and asked us to wait for `retryAfterMs`. If there are several responses, the longest
   * wait applies.
   */
  note(origin: string, status: number, retryAfterMs: number): void;
  /** Throws an UpstreamFault "throttled", with the time left, if the origin must not be queried yet. */
  check(origin: string): void;
}

export function createRetryAfterTracker(clock: Clock): RetryAfterTracker {
  const origins = new Map<string, { readonly status: number; readonly untilMs: number }>();
  return {
    note(origin, status, retryAfterMs) {
      const untilMs = clock.monotonicMs() + retryAfterMs;
      // Concurrent requests may get different waits.
      if ((origins.get(origin)?.untilMs ?? 0) > untilMs) {
        return;
      }
      origins.delete(origin);
      const [oldest] = origins.keys();
      if (origins.size >= ORIGINS_MAX && oldest !== undefined) {
        origins.delete(oldest);
      }
      origins.set(origin, { status, untilMs });
    },
    check(origin) {
      const noted = origins.get(origin);
      if (noted === undefined) {
        return;
      }
      const retryAfterMs = Math.ceil(noted.untilMs - clock.monotonicMs());
      if (retryAfterMs > 0) {
        throw new UpstreamFault("throttled", "no request was sent: the upstream had asked us to wait", {
          status: noted.status,
          retryAfterMs,
        });
      }
      origins.delete(origin);
    },
  };
}

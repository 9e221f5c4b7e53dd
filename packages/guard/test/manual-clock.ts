// A clock that stands still until a test moves it.
import type { Clock } from "../src/clock.ts";

/** A clock that a test controls, which starts at `nowMs` since the epoch, with the monotonic time at 0. */
export function createManualClock({ nowMs }: { readonly nowMs: number }): Clock & { advance(ms: number): void } {
  let elapsedMs = 0;
  return {
    nowMs: () => nowMs + Math.floor(elapsedMs),
    monotonicMs: () => elapsedMs,
    advance(ms) {
      elapsedMs += ms;
    },
  };
}

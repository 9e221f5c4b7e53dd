// When a delivery that failed is retried: soon, then at growing intervals, for a day.
import type { Randomness } from "../runtime/randomness.ts";

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1000, 60_000, 3_600_000];
/** The pause after each attempt. A delivery that fails again after the last pause is abandoned, 23.6 hours after the first attempt. */
const PAUSES_MS = [5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS, 9 * HOUR_MS];
// Spreads out deliveries that failed together, so that they are not retried together.
const JITTER = 0.1;

/** How long to wait after this many attempts, in milliseconds, with jitter; undefined if there is no further attempt. */
export function pauseAfter(attempt: number, randomness: Pick<Randomness, "unit">): number | undefined {
  const pauseMs = PAUSES_MS[attempt - 1];
  return pauseMs && Math.round(pauseMs * (1 + JITTER * (randomness.unit() - 1 / 2)));
}

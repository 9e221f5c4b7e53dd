// How much a price changed between two samples. Pure.
import type { Quote } from "../source/coins-response.ts";
import { isNear } from "./quote-filter.ts";

/** A period of time. */
export interface Span {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** A change between two usable samples. */
export interface Change {
  readonly percent: number;
  /** The lower of the two samples' confidences; undefined if either is unknown. */
  readonly confidence: number | undefined;
}

// Roughly the time between two of the source's records, so the latest one is rarely older than this.
const DISTANCE_SECONDS_MIN = 300;

/**
 * The change from `start` to `end` over a span. Undefined if either sample is too far from its end of the span, or if they are
 * less than half of the span apart.
 */
export function changeBetween(start: Quote, end: Quote, { startSeconds, endSeconds }: Span): Change | undefined {
  const spanSeconds = endSeconds - startSeconds;
  const distanceSeconds = Math.max(spanSeconds / 4, DISTANCE_SECONDS_MIN);
  const confirmed =
    isNear(start, startSeconds, distanceSeconds) &&
    isNear(end, endSeconds, distanceSeconds) &&
    end.atSeconds - start.atSeconds >= spanSeconds / 2;
  const percent = (100 * (end.price - start.price)) / start.price;
  if (!confirmed || !Number.isFinite(percent)) {
    return undefined;
  }
  const known = start.confidence !== undefined && end.confidence !== undefined;
  return { percent, confidence: known ? Math.min(start.confidence, end.confidence) : undefined };
}

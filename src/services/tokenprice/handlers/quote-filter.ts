// Decides which valid prices are returned: those not from the future, near enough to the requested time, and with the confidence
// that the caller wants. Pure.
import type { Sample, TokenFacts } from "../source/coins-response.ts";

/** The source's clock, and those of its caches, may be this far ahead of ours. */
const AHEAD_SECONDS_MAX = 300;

/** How far from the requested time a price may have been recorded: at least as far as the source itself searches. */
export const QUOTE_DISTANCE_SECONDS_MAX = 12 * 3600;

/** Whether a sample is not from the future. */
export function isPast(sample: Sample, nowSeconds: number): boolean {
  return sample.atSeconds <= nowSeconds + AHEAD_SECONDS_MAX;
}

/** Whether a sample is a price of now. */
export const isCurrent = (sample: Sample, nowSeconds: number): boolean =>
  isPast(sample, nowSeconds) && isNear(sample, nowSeconds, QUOTE_DISTANCE_SECONDS_MAX);

/** Whether a sample was recorded within `distanceSeconds` of a time. */
export function isNear(sample: Sample, atSeconds: number, distanceSeconds: number): boolean {
  return Math.abs(sample.atSeconds - atSeconds) <= distanceSeconds;
}

/**
 * Whether a token has the confidence that the caller wants. Without a minimum all tokens do; otherwise an unknown confidence is
 * too low.
 */
export function isConfident({ confidence }: Pick<TokenFacts, "confidence">, minConfidence: number | undefined): boolean {
  return minConfidence === undefined || (confidence !== undefined && confidence >= minConfidence);
}

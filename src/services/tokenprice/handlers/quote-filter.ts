// Decides which well-formed prices are answered: those that can be true at this time, are near enough to the moment that was asked for,
// and are as sure as the caller wants them. Pure.
import type { Sample, TokenFacts } from "../source/coins-answer.ts";

/** The source's clock, and its caches', may be this far ahead of ours. */
const AHEAD_SECONDS_MAX = 300;

/** Whether a sample is not from the future. */
export function isPast(sample: Sample, nowSeconds: number): boolean {
  return sample.atSeconds <= nowSeconds + AHEAD_SECONDS_MAX;
}

/** Whether a sample was recorded within `distanceSeconds` of a moment. */
export function isNear(sample: Sample, momentSeconds: number, distanceSeconds: number): boolean {
  return Math.abs(sample.atSeconds - momentSeconds) <= distanceSeconds;
}

/** Whether a token is as sure as the caller wants it. Without a wish all are; with one, those of unknown confidence are not. */
export function isSureEnough({ confidence }: Pick<TokenFacts, "confidence">, minConfidence: number | undefined): boolean {
  return minConfidence === undefined || (confidence !== undefined && confidence >= minConfidence);
}

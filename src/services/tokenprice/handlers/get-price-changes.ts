// GetPriceChanges: how much prices changed. The source's own endpoint for percentages is not used: it may use either price as the base, and
// fails for all tokens if one has more than doubled.

import type { Quote } from "../source/coins-response.ts";
import { namesOf, partitionTokens, pricePointOf } from "./messages.ts";
import type { Handler, PriceQueries } from "./price-queries.ts";
import { isConfident, isNear, isPast } from "./quote-filter.ts";
import { beginChecks, checkPeriod, checkSpanStart, checkTime, checkTokens, finishChecks, minuteOf } from "./request-checks.ts";

/** A period of time. */
interface Span {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** A change between two usable samples. */
interface Change {
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

export const createGetChange =
  ({ nowSeconds, queryPrices }: PriceQueries): Handler<"getPriceChanges"> =>
  async (request, context) => {
    const checks = beginChecks(nowSeconds());
    const tokens = checkTokens(checks, request.tokens);
    const endSeconds = checkTime(checks, "timestamp", request.timestamp ?? minuteOf(checks.nowSeconds));
    const startSeconds = checkSpanStart(checks, endSeconds, checkPeriod(checks, request.period, "15m"));
    finishChecks(checks);
    const { match } = request;
    const isUntilNow = request.timestamp === undefined;
    const { value, freshness } = await queryPrices(context, tokens, (source, ids, call) =>
      Promise.all([
        source.historical(ids, { atSeconds: startSeconds, match }, call),
        isUntilNow ? source.current(ids, call) : source.historical(ids, { atSeconds: endSeconds, match }, call),
      ]),
    );
    const [starts, ends] = value;
    const sorted = partitionTokens(tokens, (token) => {
      const start = starts.get(token.id);
      const end = ends.get(token.id);
      const known = start !== undefined && end !== undefined && isPast(end, nowSeconds());
      const change = known ? changeBetween(start, end, { startSeconds, endSeconds }) : undefined;
      return known && change !== undefined && isConfident(change, request.minConfidence)
        ? {
            ...namesOf(token),
            symbol: end.symbol,
            changePercent: change.percent,
            ...(change.confidence === undefined ? {} : { confidence: change.confidence }),
            start: pricePointOf(start, startSeconds),
            end: pricePointOf(end, isUntilNow ? Math.max(endSeconds, end.atSeconds) : endSeconds),
          }
        : undefined;
    });
    return { ...sorted, freshness };
  };

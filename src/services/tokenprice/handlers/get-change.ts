// GetChange: how much prices changed. The source's own endpoint for percentages is not used: it may use either price as the base, and
// fails for all tokens if one has more than doubled.
import { changeBetween } from "./change.ts";
import { partitionTokens, pricePointOf } from "./messages.ts";
import type { Handler, PriceQueries } from "./price-queries.ts";
import { isConfident, isPast } from "./quote-filter.ts";
import { beginChecks, checkPeriod, checkSpanStart, checkTime, checkTokens, finishChecks, minuteOf } from "./request-checks.ts";

export const createGetChange =
  ({ nowSeconds, queryPrices }: PriceQueries): Handler<"getChange"> =>
  async (request, context) => {
    const checks = beginChecks(nowSeconds());
    const tokens = checkTokens(checks, request.tokens);
    const endSeconds = checkTime(checks, "timestamp", request.timestamp ?? minuteOf(checks.nowSeconds));
    const startSeconds = checkSpanStart(checks, endSeconds, checkPeriod(checks, request.period, "15m"));
    finishChecks(checks);
    const [starts, ends] = await queryPrices(context, tokens, (source, ids, deadline) =>
      Promise.all([
        source.historical(ids, startSeconds, deadline),
        request.timestamp === undefined ? source.current(ids, deadline) : source.historical(ids, endSeconds, deadline),
      ]),
    );
    return partitionTokens(tokens, (token) => {
      const start = starts.get(token.id);
      const end = ends.get(token.id);
      const known = start !== undefined && end !== undefined && isPast(end, nowSeconds());
      const change = known ? changeBetween(start, end, { startSeconds, endSeconds }) : undefined;
      return known && change !== undefined && isConfident(change, request.minConfidence)
        ? {
            token: token.requested,
            symbol: end.symbol,
            changePercent: change.percent,
            ...(change.confidence === undefined ? {} : { confidence: change.confidence }),
            start: pricePointOf(start),
            end: pricePointOf(end),
          }
        : undefined;
    });
  };

// GetHistoricalPrices: prices at a past time.
import { partitionTokens, tokenPriceOf } from "./messages.ts";
import type { Handler, PriceQueries } from "./price-queries.ts";
import { isConfident, isNear, isPast, QUOTE_DISTANCE_SECONDS_MAX } from "./quote-filter.ts";
import { beginChecks, checkTime, checkTokens, finishChecks } from "./request-checks.ts";

export const createGetHistoricalPrices =
  ({ nowSeconds, queryPrices }: PriceQueries): Handler<"getHistoricalPrices"> =>
  async (request, context) => {
    const checks = beginChecks(nowSeconds());
    const tokens = checkTokens(checks, request.tokens);
    const atSeconds = checkTime(checks, "timestamp", request.timestamp ?? 0);
    finishChecks(checks);
    const { value: quotes, freshness } = await queryPrices(context, tokens, (source, ids, call) =>
      source.historical(ids, { atSeconds, match: request.match }, call),
    );
    const sorted = partitionTokens(tokens, (token) => {
      const quote = quotes.get(token.id);
      return quote !== undefined &&
        isPast(quote, nowSeconds()) &&
        isNear(quote, atSeconds, QUOTE_DISTANCE_SECONDS_MAX) &&
        isConfident(quote, request.minConfidence)
        ? tokenPriceOf(token, quote)
        : undefined;
    });
    return { ...sorted, freshness };
  };

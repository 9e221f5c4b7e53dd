// GetPrices: current prices.
import { partitionTokens, tokenPriceOf } from "./messages.ts";
import type { Handler, PriceQueries } from "./price-queries.ts";
import { isConfident, isCurrent } from "./quote-filter.ts";
import { beginChecks, checkTokens, finishChecks } from "./request-checks.ts";

export const createGetPrices =
  ({ nowSeconds, queryPrices }: PriceQueries): Handler<"getPrices"> =>
  async (request, context) => {
    const checks = beginChecks(nowSeconds());
    const tokens = checkTokens(checks, request.tokens);
    finishChecks(checks);
    const { value: quotes, freshness } = await queryPrices(context, tokens, (source, ids, call) => source.current(ids, call));
    const sorted = partitionTokens(tokens, (token) => {
      const quote = quotes.get(token.id);
      return quote !== undefined && isCurrent(quote, nowSeconds()) && isConfident(quote, request.minConfidence)
        ? tokenPriceOf(token, quote)
        : undefined;
    });
    return { ...sorted, freshness };
  };

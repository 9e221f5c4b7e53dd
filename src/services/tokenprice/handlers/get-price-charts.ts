// GetPriceCharts: series of prices.
import { factsOf, namesOf, partitionTokens, pricePointOf } from "./messages.ts";
import type { Handler, PriceQueries } from "./price-queries.ts";
import { isConfident, isPast } from "./quote-filter.ts";
import { beginChecks, checkChart, checkTokens, finishChecks } from "./request-checks.ts";

export const createGetChart =
  ({ nowSeconds, queryPrices }: PriceQueries): Handler<"getPriceCharts"> =>
  async (request, context) => {
    const checks = beginChecks(nowSeconds());
    const tokens = checkTokens(checks, request.tokens);
    const query = checkChart(checks, request, tokens.length);
    finishChecks(checks);
    const { value: charts, freshness } = await queryPrices(context, tokens, (source, ids, call) => source.chart(ids, query, call));
    const sorted = partitionTokens(tokens, (token) => {
      const chart = charts.get(token.id);
      const points = chart?.points.filter(({ sample }) => isPast(sample, nowSeconds())) ?? [];
      return chart !== undefined && points.length > 0 && isConfident(chart, request.minConfidence)
        ? {
            ...namesOf(token),
            ...factsOf(chart),
            points: points.map(({ sample, slotSeconds }) => pricePointOf(sample, slotSeconds)),
          }
        : undefined;
    });
    return { ...sorted, freshness };
  };

// Daily closes of BTCUSDT on Binance, from its host for market data: at most 1000 rows per response, oldest first, including the
// unfinished day. Prices are in Tether, which is treated as the dollar. Records begin on 2017-08-17.
// https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints
import { pagesOf, startOfDaySeconds } from "../../day.ts";
import type { TimedValue } from "../../day-series.ts";
import { closeOf, type DailyPrices } from "./daily-prices.ts";
import { asDecimalText, asList, asNumber } from "./json-shape.ts";

const ROWS_PER_RESPONSE_MAX = 1000;

export function createBinance(url: string): DailyPrices {
  return {
    name: "binance",
    async read(span, fetchJson) {
      const responses = pagesOf(span, ROWS_PER_RESPONSE_MAX).map(({ first, last }) => {
        const range = `startTime=${startOfDaySeconds(first) * 1000}&endTime=${startOfDaySeconds(last) * 1000}`;
        return fetchJson(`${url}/api/v3/klines?symbol=BTCUSDT&interval=1d&${range}&limit=${ROWS_PER_RESPONSE_MAX}`, parseBinance);
      });
      return (await Promise.all(responses)).flat();
    },
  };
}

/** Parses rows of 12, `[openTimeMs, "open", "high", "low", "close", …]`. Throws an Error for anything else. */
export function parseBinance(json: unknown): TimedValue[] {
  return asList(json, "the response", ROWS_PER_RESPONSE_MAX).map((row) => {
    const [openTimeMs, , high, low, close] = asList(row, "a row", 12);
    return closeOf({
      atSeconds: asNumber(openTimeMs, "a row's time") / 1000,
      low: asDecimalText(low, "a row's low"),
      high: asDecimalText(high, "a row's high"),
      close: asDecimalText(close, "a row's close"),
    });
  });
}

// Daily closes of BTC-USD on Coinbase Exchange: candles, newest first, at most 300 per response, including the unfinished day.
// https://docs.cdp.coinbase.com/exchange/reference/exchangerestapi_getproductcandles
import { isoDay, pagesOf } from "../../day.ts";
import type { TimedValue } from "../../day-series.ts";
import { closeOf, type DailyPrices } from "./daily-prices.ts";
import { asList, asNumber } from "./json-shape.ts";

const CANDLES_PER_RESPONSE_MAX = 300;

export function createCoinbase(url: string): DailyPrices {
  return {
    name: "coinbase",
    async read(span, fetchJson) {
      const responses = pagesOf(span, CANDLES_PER_RESPONSE_MAX).map(({ first, last }) => {
        // Both ends are inclusive.
        const range = `start=${isoDay(first)}T00:00:00Z&end=${isoDay(last)}T00:00:00Z`;
        return fetchJson(`${url}/products/BTC-USD/candles?granularity=86400&${range}`, parseCoinbase);
      });
      return (await Promise.all(responses)).flat();
    },
  };
}

/** Parses `[[time, low, high, open, close, volume], …]`: numbers, time in Unix seconds. Throws an Error for anything else. */
export function parseCoinbase(json: unknown): TimedValue[] {
  // One candle more than requested is harmless; many more means that this is the response to another request.
  return asList(json, "the response", CANDLES_PER_RESPONSE_MAX + 1).map((row) => {
    const [time, low, high, , close] = asList(row, "a candle", 6);
    return closeOf({
      atSeconds: asNumber(time, "a candle's time"),
      low: asNumber(low, "a candle's low"),
      high: asNumber(high, "a candle's high"),
      close: asNumber(close, "a candle's close"),
    });
  });
}

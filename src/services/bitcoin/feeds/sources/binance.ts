// Daily closes of BTCUSDT on Binance, by its host for market data alone: at most 1000 rows an answer, oldest first, the unfinished
// day among them. Prices are in Tether, which is taken as the dollar. Records begin on 2017-08-17.
// https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints
import { pagesOf, startOfDaySeconds } from "../../day.ts";
import type { TimedValue } from "../../day-series.ts";
import { asDecimalText, asList, asNumber } from "./json-shape.ts";
import { closeOf, type PriceSource } from "./price-source.ts";

const ROWS_PER_ANSWER_MAX = 1000;

/** Binance at `url`. */
export function createBinance(url: string): PriceSource {
  return {
    name: "binance",
    async read(span, ask) {
      const answers = pagesOf(span, ROWS_PER_ANSWER_MAX).map(({ first, last }) => {
        const range = `startTime=${startOfDaySeconds(first) * 1000}&endTime=${startOfDaySeconds(last) * 1000}`;
        return ask(`${url}/api/v3/klines?symbol=BTCUSDT&interval=1d&${range}&limit=${ROWS_PER_ANSWER_MAX}`, parseBinance);
      });
      return (await Promise.all(answers)).flat();
    },
  };
}

/** Reads rows of 12, `[openTimeMs, "open", "high", "low", "close", …]`. Throws an Error for anything else. */
export function parseBinance(json: unknown): TimedValue[] {
  return asList(json, "the answer", ROWS_PER_ANSWER_MAX).map((row) => {
    const [openTimeMs, , high, low, close] = asList(row, "a row", 12);
    return closeOf({
      atSeconds: asNumber(openTimeMs, "a row's time") / 1000,
      low: asDecimalText(low, "a row's low"),
      high: asDecimalText(high, "a row's high"),
      close: asDecimalText(close, "a row's close"),
    });
  });
}

// Daily closes of XBT/USD on Kraken: one response with the last 720 days and no way to reach further back. The last row is the
// unfinished day. https://docs.kraken.com/api/docs/rest-api/get-ohlc-data
import type { TimedValue } from "../../day-series.ts";
import { closeOf, type DailyPrices } from "./daily-prices.ts";
import { asDecimalText, asList, asNumber, asObject } from "./json-shape.ts";

// Documented as 720; a few more are accepted.
const ROWS_MAX = 1000;

export function createKraken(url: string): DailyPrices {
  return {
    name: "kraken",
    read: (_span, fetchJson) => fetchJson(`${url}/0/public/OHLC?pair=XBTUSD&interval=1440`, parseKraken),
  };
}

/**
 * Parses `{"error": [], "result": {"XXBTZUSD": [[time, "open", "high", "low", "close", "vwap", "volume", count], …], "last":
 * time}}`. The pair's key differs from the requested name. Throws an Error for anything else, and for errors, which have status
 * 200.
 */
export function parseKraken(json: unknown): TimedValue[] {
  const response = asObject(json, "the response");
  if (asList(response.error, "the list of errors", 100).length > 0) {
    throw new Error("the response reports an error");
  }
  const series = Object.entries(asObject(response.result, "the result")).filter(([key]) => key !== "last");
  if (series.length !== 1) {
    throw new Error("the result does not contain exactly one pair");
  }
  return asList(series[0]?.[1], "the pair's rows", ROWS_MAX).map((row) => {
    const [time, , high, low, close] = asList(row, "a row", 8);
    return closeOf({
      atSeconds: asNumber(time, "a row's time"),
      low: asDecimalText(low, "a row's low"),
      high: asDecimalText(high, "a row's high"),
      close: asDecimalText(close, "a row's close"),
    });
  });
}

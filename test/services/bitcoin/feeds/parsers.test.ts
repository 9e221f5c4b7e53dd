import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TimedValue } from "../../../../src/services/bitcoin/day-series.ts";
import { parseBinance } from "../../../../src/services/bitcoin/feeds/sources/binance.ts";
import { parseChart } from "../../../../src/services/bitcoin/feeds/sources/charts.ts";
import { parseCoinbase } from "../../../../src/services/bitcoin/feeds/sources/coinbase.ts";
import { parseKraken } from "../../../../src/services/bitcoin/feeds/sources/kraken.ts";

type Read = (json: unknown) => TimedValue[];

const day = 1_795_132_800;
const candle = [day, 98_000, 102_000, 99_000, 101_000.5, 123.4];
const krakenRow = [day, "99000.0", "102000.0", "98000.0", "101000.5", "100100.1", "123.4", 4321];
const kraken = (rows: unknown): object => ({ error: [], result: { XXBTZUSD: rows, last: day } });
const binanceRow = [
  day * 1000,
  "99000.0",
  "102000.0",
  "98000.0",
  "101000.5",
  "123.4",
  day * 1000 + 86_399_999,
  "1.0",
  5,
  "1",
  "1",
  "0",
];
const chart = (values: unknown): object => ({ status: "ok", name: "x", unit: "USD", period: "day", description: "", values });
const replaced = (row: readonly unknown[], index: number, value: unknown): unknown[] => row.with(index, value);

describe("reads what a source sends:", () => {
  const close = [{ atSeconds: day, value: 101_000.5 }];

  test.each<[string, Read, unknown, TimedValue[]]>([
    ["Coinbase's candles", parseCoinbase, [candle], close],
    ["Coinbase's response for a time before its records", parseCoinbase, [], []],
    ["Kraken's rows, by whatever name it calls the pair", parseKraken, kraken([krakenRow]), close],
    ["Binance's rows", parseBinance, [binanceRow], close],
    [
      "a chart's points, including those in scientific notation, except those without a value",
      parseChart,
      chart([{ x: day, y: 1 }, { x: day + 1, y: 2.5e7 }, { x: day + 2, y: null }, { x: day + 3 }]),
      [
        { atSeconds: day, value: 1 },
        { atSeconds: day + 1, value: 25_000_000 },
      ],
    ],
  ])("%s", (_, parse, json, points) => {
    expect(parse(json)).toEqual(points);
  });
});

describe("refuses impossible data, and says what is wrong", () => {
  test.each<[string, Read, unknown, string]>([
    ["Coinbase: an error", parseCoinbase, { message: "NotFound" }, "the response is not a list"],
    ["Coinbase: a row that is not a list", parseCoinbase, [7], "a candle is not a list"],
    [
      "Coinbase: a time in the middle of a day",
      parseCoinbase,
      [replaced(candle, 0, day + 60)],
      "a candle does not begin with a UTC day",
    ],
    ["Coinbase: a time before 1970", parseCoinbase, [replaced(candle, 0, -86_400)], "a candle does not begin with a UTC day"],
    ["Coinbase: a price as a string", parseCoinbase, [replaced(candle, 4, "101000.5")], "a candle's close is not a number"],
    [
      "Coinbase: columns in another order",
      parseCoinbase,
      [[day, 99_000, 98_000, 102_000, 101_000]],
      "a candle's close is not between its low and its high",
    ],
    [
      "Coinbase: a close over the day's high",
      parseCoinbase,
      [[day, 99_000, 102_000, 100_000, 102_001, 1]],
      "a candle's close is not between its low and its high",
    ],
    ["Coinbase: a price of 0", parseCoinbase, [[day, 0, 0, 0, 0, 0]], "a candle's close is not between its low and its high"],
    [
      "Coinbase: the response to another request",
      parseCoinbase,
      Array(302).fill(candle),
      "the response has more than 301 elements",
    ],
    [
      "Kraken: an error, which has status 200",
      parseKraken,
      { error: ["EGeneral:Too many requests"] },
      "the response reports an error",
    ],
    ["Kraken: no result", parseKraken, { error: [] }, "the result is not an object"],
    [
      "Kraken: two pairs",
      parseKraken,
      { error: [], result: { XXBTZUSD: [], XETHZUSD: [], last: 0 } },
      "the result does not contain exactly one pair",
    ],
    [
      "Kraken: a price that is a number",
      parseKraken,
      kraken([replaced(krakenRow, 4, 101_000)]),
      "a row's close is not a decimal number in a string",
    ],
    [
      "Kraken: a price with an exponent",
      parseKraken,
      kraken([replaced(krakenRow, 4, "1e5")]),
      "a row's close is not a decimal number in a string",
    ],
    ["Kraken: a longer row", parseKraken, kraken([[...krakenRow, 0]]), "a row has more than 8 elements"],
    ["Binance: an error", parseBinance, { code: -1121, msg: "Invalid symbol." }, "the response is not a list"],
    ["Binance: a time in seconds", parseBinance, [replaced(binanceRow, 0, day)], "a candle does not begin with a UTC day"],
    ["Binance: no price", parseBinance, [replaced(binanceRow, 4, "")], "a row's close is not a decimal number in a string"],
    ["charts: a failure", parseChart, { status: "error", error: "Not found" }, "the response's status is not ok"],
    ["charts: no values", parseChart, chart(undefined), "the list of values is not a list"],
    ["charts: a value as a string", parseChart, chart([{ x: day, y: "1" }]), "a point's value is not a number"],
    ["charts: a time as a string", parseChart, chart([{ x: "2026-11-20", y: 1 }]), "a point's time is not a number"],
    [
      "charts: a time in milliseconds",
      parseChart,
      chart([{ x: day * 1000, y: 1 }]),
      "a point's time is before Bitcoin started or far in the future",
    ],
    [
      "charts: a time before Bitcoin",
      parseChart,
      chart([{ x: 1_200_000_000, y: 1 }]),
      "a point's time is before Bitcoin started or far in the future",
    ],
    ["charts: more points than blocks", parseChart, chart(Array(80_001)), "the list of values has more than 80000 elements"],
    ["charts: a point that is a list", parseChart, chart([[day, 1]]), "a point is not an object"],
  ])("%s", (_, parse, json, message) => {
    expect(() => parse(json)).toThrow(new Error(message));
  });
});

describe("hostile input makes a parser throw an Error or return valid points, and nothing else", () => {
  // Junk in every position of the expected shape, deep enough to pass the first checks.
  const junk = fc.oneof(
    fc.jsonValue(),
    fc.double(),
    fc.constantFrom(null, "", "0", "-1", "1e999", Number.MAX_VALUE, -0, [], {}, "__proto__"),
  );
  const rowLike = (row: readonly unknown[]) =>
    fc.array(junk, { maxLength: 3 }).chain((values) =>
      fc.array(fc.nat(row.length - 1), { minLength: values.length, maxLength: values.length }).map((indices) => {
        const changed = [...row];
        for (const [position, index] of indices.entries()) {
          changed[index] = values[position];
        }
        return changed;
      }),
    );
  const point = fc.record({ x: fc.oneof(junk, fc.constant(day)), y: junk }, { requiredKeys: [] });

  test.each<[string, Read, fc.Arbitrary<unknown>]>([
    ["Coinbase", parseCoinbase, fc.oneof(junk, fc.array(fc.oneof(junk, rowLike(candle))))],
    [
      "Kraken",
      parseKraken,
      fc.oneof(
        junk,
        fc.record({ error: fc.oneof(junk, fc.constant([])), result: junk }),
        fc.array(fc.oneof(junk, rowLike(krakenRow))).map(kraken),
      ),
    ],
    ["Binance", parseBinance, fc.oneof(junk, fc.array(fc.oneof(junk, rowLike(binanceRow))))],
    ["charts", parseChart, fc.oneof(junk, junk.map(chart), fc.array(fc.oneof(junk, point)).map(chart))],
  ])("%s", (_, parse, input) => {
    const sound = (json: unknown): boolean => {
      try {
        return parse(json).every(({ atSeconds, value }) => atSeconds >= 0 && Number.isFinite(atSeconds) && Number.isFinite(value));
      } catch (error) {
        // A TypeError would mean that a check is missing.
        return error instanceof Error && error.constructor === Error && error.message.length < 100;
      }
    };
    fc.assert(fc.property(input, sound), { numRuns: 500, seed: 20_261_121 });
  });
});

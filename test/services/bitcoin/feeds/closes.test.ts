import { describe, expect, test } from "vitest";
import { createLog } from "../../../../src/runtime/log.ts";
import type { PriceSourceName } from "../../../../src/services/bitcoin/config.ts";
import { type Day, type DaySpan, startOfDaySeconds } from "../../../../src/services/bitcoin/day.ts";
import { daysPresent, type TimedValue, valueAt } from "../../../../src/services/bitcoin/day-series.ts";
import {
  type Closes,
  completeDay,
  disagreeingWithin,
  readCloses,
  sourcesWithin,
} from "../../../../src/services/bitcoin/feeds/closes.ts";
import { wholeSpan } from "../../../../src/services/bitcoin/feeds/read-span.ts";
import type { DailyPrices } from "../../../../src/services/bitcoin/feeds/sources/daily-prices.ts";
import { UpstreamFault } from "../../../../src/upstream/fault.ts";

const yesterday = 20_777;
const whole = wholeSpan(yesterday);

/** A source whose price is always the same, so that each close shows which source it came from. */
interface SourceOptions {
  readonly price: number;
  readonly first?: Day;
  readonly last?: Day;
  /** Changes what it sends. */
  readonly turn?: (points: TimedValue[]) => TimedValue[];
}

interface TestSource extends DailyPrices {
  readonly requested: DaySpan[];
}

function source(
  name: PriceSourceName,
  { price, first = 0, last = yesterday + 1, turn = (points) => points }: SourceOptions,
): TestSource {
  const requested: DaySpan[] = [];
  return {
    name,
    requested,
    async read(span) {
      requested.push(span);
      const points: TimedValue[] = [];
      for (let day = Math.max(first, span.first); day <= last; day += 1) {
        points.push({ atSeconds: startOfDaySeconds(day), value: price });
      }
      return turn(points);
    },
  };
}

const failing = (name: PriceSourceName): TestSource => {
  const requested: DaySpan[] = [];
  return {
    name,
    requested,
    read: async (span) => {
      requested.push(span);
      throw new UpstreamFault("status", "responded with status 500", { status: 500 });
    },
  };
};

const read = (sources: readonly DailyPrices[], held?: Closes): Promise<Closes> =>
  readCloses({
    sources,
    held,
    yesterday,
    nowMs: 1000,
    fetchJson: () => Promise.reject(new Error("these sources send no requests")),
    log: createLog("silent"),
  });

const at = ({ series }: Closes, ...days: Day[]): unknown => days.map((day) => valueAt(series, day));

describe("a day's close is the median of the sources that have it", () => {
  test("all sources are read, for all days up to yesterday", async () => {
    const sources = [source("coinbase", { price: 100 }), source("kraken", { price: 102 }), source("binance", { price: 101 })];
    const closes = await read(sources);
    expect(sources.map(({ requested }) => requested)).toEqual([[whole], [whole], [whole]]);
    expect(at(closes, whole.first, yesterday, yesterday + 1)).toEqual([101, 101, undefined]);
    expect([sourcesWithin(closes, whole), disagreeingWithin(closes, whole)]).toEqual([["coinbase", "kraken", "binance"], []]);
  });

  test("older days come from the sources that go back that far, and a source that fails is skipped", async () => {
    const closes = await read([
      failing("coinbase"),
      source("kraken", { price: 100, first: yesterday - 719 }),
      source("binance", { price: 101, first: yesterday - 3000 }),
      source("blockchain.com", { price: 102 }),
    ]);
    expect(at(closes, yesterday, yesterday - 719, yesterday - 720, yesterday - 3000, yesterday - 3001)).toEqual([
      101, 101, 101.5, 101.5, 102,
    ]);
    expect(sourcesWithin(closes, { first: yesterday - 3001, last: yesterday })).toEqual(["kraken", "binance", "blockchain.com"]);
    expect(sourcesWithin(closes, { first: yesterday - 3001, last: yesterday - 720 })).toEqual(["binance", "blockchain.com"]);
  });

  test("a source without yesterday is skipped for that day, which then counts as incomplete", async () => {
    const closes = await read([source("coinbase", { price: 100, last: yesterday - 1 }), source("kraken", { price: 101 })]);
    expect([at(closes, yesterday, yesterday - 1), completeDay(closes)]).toEqual([[101, 100.5], yesterday - 1]);
    expect(sourcesWithin(closes, { first: yesterday - 1, last: yesterday })).toEqual(["kraken", "coinbase"]);
  });
});

describe("a close that is far from the others is left out, and its source is named", () => {
  const last = { first: yesterday, last: yesterday };
  const withLast = (name: PriceSourceName, price: number, value: number): TestSource =>
    source(name, {
      price,
      turn: (points) => points.map((point) => (point.atSeconds === startOfDaySeconds(yesterday) ? { ...point, value } : point)),
    });
  test.each<[string, readonly [PriceSourceName, number][], number | undefined, readonly PriceSourceName[]]>([
    [
      "doubled on one of four",
      [
        ["coinbase", 200],
        ["kraken", 100],
        ["binance", 101],
        ["blockchain.com", 102],
      ],
      101,
      ["coinbase"],
    ],
    [
      "doubled on one of three",
      [
        ["coinbase", 100],
        ["kraken", 202],
        ["binance", 101],
      ],
      100.5,
      ["kraken"],
    ],
    [
      "5 % off on one of three",
      [
        ["coinbase", 100],
        ["kraken", 105],
        ["binance", 100],
      ],
      100,
      [],
    ],
    [
      "6 % off on one of three",
      [
        ["coinbase", 100],
        ["kraken", 106],
        ["binance", 100],
      ],
      100,
      ["kraken"],
    ],
    [
      "doubled on one of two: neither is trusted",
      [
        ["coinbase", 100],
        ["kraken", 200],
      ],
      undefined,
      ["coinbase", "kraken"],
    ],
    [
      "two against two",
      [
        ["coinbase", 100],
        ["kraken", 100],
        ["binance", 200],
        ["blockchain.com", 200],
      ],
      undefined,
      ["coinbase", "kraken", "binance", "blockchain.com"],
    ],
  ])("%s", async (_, prices, close, disagreeing) => {
    const closes = await read(prices.map(([name, value]) => withLast(name, 100, value)));
    expect([at(closes, yesterday), disagreeingWithin(closes, last)]).toEqual([[close], disagreeing]);
    expect(disagreeingWithin(closes, { first: yesterday - 200, last: yesterday - 1 })).toEqual([]);
  });
});

describe("a source is trusted completely or not at all", () => {
  const withPrice =
    (day: Day, value: number) =>
    (points: TimedValue[]): TimedValue[] =>
      points.map((point) => (point.atSeconds === startOfDaySeconds(day) ? { ...point, value } : point));
  const withoutDays =
    (first: Day, count: number) =>
    (points: TimedValue[]): TimedValue[] =>
      points.filter(({ atSeconds }) => atSeconds < startOfDaySeconds(first) || atSeconds >= startOfDaySeconds(first + count));

  test.each<[string, (points: TimedValue[]) => TimedValue[], boolean]>([
    ["one price four times as high as its neighbours rules it out", withPrice(yesterday - 500, 400), false],
    ["so does a wrong price for yesterday", withPrice(yesterday, 20), false],
    ["eleven days missing of the last 200 rule it out", withoutDays(yesterday - 50, 11), false],
    ["so does an empty response", () => [], false],
    ["ten days missing do not", withoutDays(yesterday - 50, 10), true],
    ["a price of 0 is a gap", withPrice(yesterday - 50, 0), true],
    [
      "the latest value of a day replaces an earlier one",
      (points) => [...points.map((point) => ({ ...point, value: 90 })), ...points],
      true,
    ],
  ])("%s", async (_, turn, isBelieved) => {
    const closes = await read([source("coinbase", { price: 100, turn }), source("kraken", { price: 101 })]);
    expect(sourcesWithin(closes, whole)).toEqual(isBelieved ? ["coinbase", "kraken"] : ["kraken"]);
    expect(valueAt(closes.series, yesterday)).toBe(isBelieved ? 100.5 : 101);
  });

  test("when none can be trusted, the reading fails with the last one's fault", async () => {
    await expect(read([source("kraken", { price: 100, turn: () => [] }), failing("coinbase")])).rejects.toThrow(
      new UpstreamFault("status", "responded with status 500", { status: 500 }),
    );
  });
});

describe("with an earlier reading", () => {
  test("only the newest days are read again, and the newer reading counts", async () => {
    const held = await read([source("coinbase", { price: 100, last: yesterday - 1 })]);
    const coinbase = source("coinbase", { price: 101 });
    const closes = await read([coinbase], held);
    expect(coinbase.requested).toEqual([{ first: yesterday - 14, last: yesterday }]);
    expect([daysPresent(closes.series, whole), closes.series.values.length]).toEqual([4030, 4030]);
    expect([yesterday, yesterday - 14, yesterday - 15].map((day) => valueAt(closes.series, day))).toEqual([101, 101, 100]);
  });

  test("a source that fails keeps its older days", async () => {
    const held = { ...(await read([source("coinbase", { price: 100, last: yesterday - 1 })])) };
    const closes = await read([failing("coinbase"), source("kraken", { price: 101, first: yesterday - 719 })], held);
    expect([at(closes, yesterday, yesterday - 1, yesterday - 720), closes.fetchedAtMs]).toEqual([[101, 100.5, 100], 1000]);
  });

  test("when all fail, the reading fails: old data is not passed off as new", async () => {
    const held = await read([source("coinbase", { price: 100 })]);
    await expect(read([failing("coinbase"), failing("kraken")], held)).rejects.toThrow("responded with status 500");
  });
});

import { describe, expect, test } from "vitest";
import { createLog } from "../../../../src/runtime/log.ts";
import type { PriceSourceName } from "../../../../src/services/bitcoin/config.ts";
import { type Day, type DaySpan, startOfDaySeconds } from "../../../../src/services/bitcoin/day.ts";
import { daysPresent, type TimedValue, valueAt } from "../../../../src/services/bitcoin/day-series.ts";
import { type Closes, readCloses, sourcesWithin } from "../../../../src/services/bitcoin/feeds/closes.ts";
import { wholeSpan } from "../../../../src/services/bitcoin/feeds/read-span.ts";
import type { PriceSource } from "../../../../src/services/bitcoin/feeds/sources/price-source.ts";
import { UpstreamFault } from "../../../../src/upstream/fault.ts";

const yesterday = 20_777;
const whole = wholeSpan(yesterday);

/** A source whose price is always the same, so that each close tells where it is from. */
interface Told {
  readonly price: number;
  readonly first?: Day;
  readonly last?: Day;
  /** Changes what it sends. */
  readonly turn?: (points: TimedValue[]) => TimedValue[];
}

interface TestSource extends PriceSource {
  readonly asked: DaySpan[];
}

function source(name: PriceSourceName, { price, first = 0, last = yesterday + 1, turn = (points) => points }: Told): TestSource {
  const asked: DaySpan[] = [];
  return {
    name,
    asked,
    async read(span) {
      asked.push(span);
      const points: TimedValue[] = [];
      for (let day = Math.max(first, span.first); day <= last; day += 1) {
        points.push({ atSeconds: startOfDaySeconds(day), value: price });
      }
      return turn(points);
    },
  };
}

const failing = (name: PriceSourceName): TestSource => {
  const asked: DaySpan[] = [];
  return {
    name,
    asked,
    read: async (span) => {
      asked.push(span);
      throw new UpstreamFault("status", "answered 500", { status: 500 });
    },
  };
};

const read = (sources: readonly PriceSource[], held?: Closes): Promise<Closes> =>
  readCloses({
    sources,
    held,
    yesterday,
    nowMs: 1000,
    ask: () => Promise.reject(new Error("these sources ask nobody")),
    log: createLog("silent"),
  });

const spansOf = ({ spans }: Closes): unknown => spans.map(({ source: name, first, last }) => [name, first, last]);

describe("closes come from the first source that will do", () => {
  test("which is the only one that is asked, for all days up to yesterday", async () => {
    const [coinbase, kraken] = [source("coinbase", { price: 100 }), source("kraken", { price: 101 })];
    const closes = await read([coinbase, kraken]);
    expect([spansOf(closes), coinbase.asked, kraken.asked]).toEqual([[["coinbase", whole.first, yesterday]], [whole], []]);
    expect([valueAt(closes.series, yesterday), valueAt(closes.series, yesterday + 1)]).toEqual([100, undefined]);
  });

  test("older days come from the next ones, as far as each reaches", async () => {
    const closes = await read([
      failing("coinbase"),
      source("kraken", { price: 100, first: yesterday - 719 }),
      source("binance", { price: 101, first: yesterday - 3000 }),
      source("blockchain.com", { price: 102 }),
    ]);
    expect(spansOf(closes)).toEqual([
      ["kraken", yesterday - 719, yesterday],
      ["binance", yesterday - 3000, yesterday - 720],
      ["blockchain.com", whole.first, yesterday - 3001],
    ]);
    expect(
      [yesterday, yesterday - 719, yesterday - 720, yesterday - 3000, yesterday - 3001].map((day) => valueAt(closes.series, day)),
    ).toEqual([100, 100, 101, 101, 102]);
    expect(sourcesWithin(closes, { first: yesterday - 720, last: yesterday })).toEqual(["kraken", "binance"]);
    expect(sourcesWithin(closes, { first: yesterday - 719, last: yesterday })).toEqual(["kraken"]);
  });

  test("a source that lacks yesterday gives way to one that has it", async () => {
    const late = source("coinbase", { price: 100, last: yesterday - 1 });
    const closes = await read([late, source("kraken", { price: 101, first: yesterday - 719 }), source("binance", { price: 102 })]);
    expect(spansOf(closes)).toEqual([
      ["kraken", yesterday - 719, yesterday],
      ["coinbase", whole.first, yesterday - 720],
    ]);
  });

  test("and leads after all when no other has it either", async () => {
    const closes = await read([
      source("coinbase", { price: 100, last: yesterday - 1 }),
      source("kraken", { price: 101, first: yesterday - 719, last: yesterday - 2 }),
    ]);
    expect(spansOf(closes)).toEqual([["coinbase", whole.first, yesterday - 1]]);
  });
});

describe("a source is believed whole or not at all", () => {
  const withPrice =
    (day: Day, value: number) =>
    (points: TimedValue[]): TimedValue[] =>
      points.map((point) => (point.atSeconds === startOfDaySeconds(day) ? { ...point, value } : point));
  const withoutDays =
    (first: Day, count: number) =>
    (points: TimedValue[]): TimedValue[] =>
      points.filter(({ atSeconds }) => atSeconds < startOfDaySeconds(first) || atSeconds >= startOfDaySeconds(first + count));

  test.each<[string, (points: TimedValue[]) => TimedValue[], PriceSourceName]>([
    ["one price that is four times its neighbours' spoils it", withPrice(yesterday - 500, 400), "kraken"],
    ["yesterday's too", withPrice(yesterday, 20), "kraken"],
    ["eleven days missing of the last 200 spoil it", withoutDays(yesterday - 50, 11), "kraken"],
    ["an empty answer does", () => [], "kraken"],
    ["ten days missing do not", withoutDays(yesterday - 50, 10), "coinbase"],
    ["a price of 0 is a gap", withPrice(yesterday - 50, 0), "coinbase"],
    [
      "an outdated value of a day gives way to the latest",
      (points) => [...points.map((point) => ({ ...point, value: 90 })), ...points],
      "coinbase",
    ],
  ])("%s", async (_, turn, lead) => {
    const closes = await read([source("coinbase", { price: 100, turn }), source("kraken", { price: 101 })]);
    expect(closes.spans[0]?.source).toBe(lead);
    expect(valueAt(closes.series, yesterday)).toBe(lead === "coinbase" ? 100 : 101);
  });

  test("when none can be believed, the last one's fault is the reading's", async () => {
    await expect(read([source("kraken", { price: 100, turn: () => [] }), failing("coinbase")])).rejects.toThrow(
      new UpstreamFault("status", "answered 500", { status: 500 }),
    );
  });
});

describe("with a reading held", () => {
  test("the newest days alone are read again, and the newer reading counts", async () => {
    const held = await read([source("coinbase", { price: 100, last: yesterday - 1 })]);
    const coinbase = source("coinbase", { price: 101 });
    const closes = await read([coinbase], held);
    expect(coinbase.asked).toEqual([{ first: yesterday - 14, last: yesterday }]);
    expect([daysPresent(closes.series, whole), closes.series.values.length]).toEqual([4030, 4030]);
    expect([yesterday, yesterday - 14, yesterday - 15].map((day) => valueAt(closes.series, day))).toEqual([101, 101, 100]);
  });

  test("a source that fails keeps its older days, and the time of the newest reading is the lead's", async () => {
    const held = { ...(await read([source("coinbase", { price: 100, last: yesterday - 1 })])) };
    const closes = await read([failing("coinbase"), source("kraken", { price: 101, first: yesterday - 719 })], held);
    expect([spansOf(closes), closes.fetchedAtMs]).toEqual([
      [
        ["kraken", yesterday - 719, yesterday],
        ["coinbase", whole.first, yesterday - 720],
      ],
      1000,
    ]);
  });

  test("when all fail, the reading fails: what is held is not called new", async () => {
    const held = await read([source("coinbase", { price: 100 })]);
    await expect(read([failing("coinbase"), failing("kraken")], held)).rejects.toThrow("answered 500");
  });
});

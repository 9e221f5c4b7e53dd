import { describe, expect, test } from "vitest";
import { seeded } from "../../../../src/sandbox/stand-ins/seeded.ts";
import { type Day, dayOfMs, isoDay, startOfDaySeconds } from "../../../../src/services/bitcoin/day.ts";
import { type DaySeries, seriesFromPoints, type TimedValue } from "../../../../src/services/bitcoin/day-series.ts";
import { mayerHistory, nvtHistory, puellHistory, s2fHistory } from "../../../../src/services/bitcoin/indicators/history.ts";
import {
  mayerOn,
  nvtOn,
  nvtRatios,
  percentileOn,
  puellOn,
  s2fOn,
  WINDOW_DAYS,
} from "../../../../src/services/bitcoin/indicators/indicators.ts";
import { daysNeeded, windowAverage, windowEnding } from "../../../../src/services/bitcoin/indicators/window.ts";
import * as oracle from "../oracle.ts";

const today = dayOfMs(Date.UTC(2026, 10, 21, 12));
const yesterday = today - 1;
const dayCount = 1300;
const span = windowEnding(yesterday, dayCount);

const noon = 12 * 3600;
const at = (day: Day, secondOfDay: number, value: number): TimedValue => ({
  atSeconds: startOfDaySeconds(day) + secondOfDay,
  value,
});

/** Points of all days up to today, which is unfinished, except the missing days, given as days before today. Shuffled. */
function pointsOf(seed: number, valueOn: (day: Day, draw: () => number) => number, missing: readonly number[]): TimedValue[] {
  const draw = seeded(seed);
  const points: TimedValue[] = [];
  for (let day = span.first; day <= today; day += 1) {
    if (!missing.includes(today - day)) {
      points.push(at(day, noon, valueOn(day, draw)));
    }
  }
  // A day that appears twice, the wrong value first, and a day before the span.
  points.push(at(today - 40, noon - 1, 1), at(span.first - 1, noon, 1));
  return points
    .map((point) => ({ point, place: draw() }))
    .sort((one, other) => one.place - other.place)
    .map(({ point }) => point);
}

const gaps = [3, 4, 77, 150, 151, 152, 400, 401, 700];
const closePoints = pointsOf(1, (day, draw) => 20_000 + (day - span.first) * 60 + draw() * 9000, gaps);
const revenuePoints = pointsOf(2, (_, draw) => 3e7 + draw() * 3e7, [2, ...gaps]);
const volumePoints = pointsOf(3, (_, draw) => 5e9 + draw() * 5e9, [1, 30, 31, 90, 500, 1000, 1001, 1002, 1003, 1004]);
const supplyPoints = pointsOf(4, (day) => 18_000_000 + (day - span.first) * 450, [200, 600]);

/** The points by date: the latest of several on one day, and nothing from today or before the span. */
function byDate(points: readonly TimedValue[]): oracle.ByDate {
  const values: Record<string, number> = {};
  for (const { atSeconds, value } of points.toSorted((one, other) => one.atSeconds - other.atSeconds)) {
    const date = new Date(atSeconds * 1000).toISOString().slice(0, 10);
    if (date >= isoDay(span.first) && date < isoDay(today)) {
      values[date] = value;
    }
  }
  return values;
}

const closes = seriesFromPoints(closePoints, span);
const revenues = seriesFromPoints(revenuePoints, span);
const volume = seriesFromPoints(volumePoints, span);
const supply = seriesFromPoints(supplyPoints, span);
const inputs = { closes, supply, volume };
const closeBy = byDate(closePoints);
const revenueBy = byDate(revenuePoints);
const volumeBy = byDate(volumePoints);
const supplyBy = byDate(supplyPoints);

/** Consecutive days that end with yesterday. */
const seriesEnding = (values: readonly number[]): DaySeries => ({
  firstDay: yesterday - values.length + 1,
  values: Float64Array.from(values),
});

/** Days with everything, days with gaps in their windows, and days next to gaps, each as a date and as a day. */
const daysBefore = (...ago: readonly number[]): [string, Day][] => ago.map((days) => [isoDay(today - days), today - days]);

// Every 20th day may be missing; a ratio that cannot be computed is NaN.
const isCovered = ({ ratio, daysPresent }: { ratio: number; daysPresent: number }, days: number): boolean =>
  !Number.isNaN(ratio) && (days - daysPresent) * 20 <= days;

describe("on series with gaps, an unfinished day and a day that appears twice, an independent implementation agrees on", () => {
  test.each(daysBefore(1, 2, 5, 60, 100, 153, 300, 399, 402))("the Mayer Multiple of %s", (date, day) => {
    const expected = { covered: true, day, ...oracle.mayer(closeBy, date) };
    expect(oracle.rounded(mayerOn(closes, day))).toEqual(oracle.rounded(expected));
  });

  test.each(daysBefore(1, 5, 60, 100, 153, 300, 399, 402))("the Puell Multiple of %s", (date, day) => {
    const expected = { covered: true, day, ...oracle.puell(revenueBy, date) };
    expect(oracle.rounded(puellOn(revenues, day))).toEqual(oracle.rounded(expected));
  });

  test.each(daysBefore(1, 2, 5, 60, 100, 153, 300, 399, 402))("the NVT ratio of %s", (date, day) => {
    const expected = { covered: true, day, ...oracle.nvt(closeBy, supplyBy, volumeBy, date) };
    expect(oracle.rounded(nvtOn(inputs, day))).toEqual(oracle.rounded(expected));
  });

  test.each(daysBefore(1, 2, 5, 100))("the percentile of the NVT ratio of %s", (date, day) => {
    const readings = oracle.datesBack(date, 730).map((each) => oracle.nvt(closeBy, supplyBy, volumeBy, each));
    const ratios = readings.filter((reading) => isCovered(reading, 90)).map(({ ratio }) => ratio);
    const percentile = oracle.percentile(ratios, ratios[0] ?? Number.NaN);
    const found = percentileOn(nvtRatios(inputs, day), day, WINDOW_DAYS.nvtPercentile);
    expect(oracle.rounded(found)).toEqual(oracle.rounded({ covered: true, percentile, daysPresent: ratios.length }));
  });

  test.each(daysBefore(1, 2, 5, 60, 100, 153, 300, 399, 402))("Stock-to-Flow of %s", (date, day) => {
    const expected = { covered: true, day, ...oracle.s2f(closeBy, supplyBy, date) };
    expect(oracle.rounded(s2fOn(closes, supply, day))).toEqual(oracle.rounded(expected));
  });

  const afterTheFirstYear = { first: span.first + 370, last: yesterday };
  const dates = Array.from({ length: dayCount }, (_, index) => isoDay(span.first + index));
  // Its last digits depend on the order of summation; which days have a point does not.
  const expectedPoints = (days: number, on: (date: string) => { ratio: number; daysPresent: number }): unknown =>
    oracle.rounded(
      dates.flatMap((date) => {
        const reading = on(date);
        return isCovered(reading, days) ? [[date, reading.ratio]] : [];
      }),
    );

  test.each([
    ["mayer", mayerHistory(closes, span), expectedPoints(200, (date) => oracle.mayer(closeBy, date))],
    ["puell", puellHistory(revenues, span), expectedPoints(365, (date) => oracle.puell(revenueBy, date))],
    ["nvt", nvtHistory(inputs, span), expectedPoints(90, (date) => oracle.nvt(closeBy, supplyBy, volumeBy, date))],
    [
      "s2f",
      // If the supply before a window is missing, the nearest one is used, which is tested below.
      s2fHistory(closes, supply, afterTheFirstYear).filter(({ day }) => ![200, 600].includes(today - day + 365)),
      expectedPoints(365, (date) => {
        const { price, ...reading } = oracle.s2f(closeBy, supplyBy, date);
        return date < isoDay(afterTheFirstYear.first) || Number.isNaN(price) ? { ...reading, ratio: Number.NaN } : reading;
      }),
    ],
  ])("the history of %s: which days have a point, and each one's ratio", (_, points, expected) => {
    expect(points.length).toBeGreaterThan(800);
    expect(oracle.rounded(points.map(({ day, message }) => [isoDay(day), message.ratio]))).toEqual(expected);
  });
});

describe("known check values", () => {
  test.each([
    // [stock to flow, coins, price by the widely used model]
    [25, 17_500_000, 7906],
    [50, 17_600_000, 81_178],
    [56, 18_400_000, 118_798],
    [120, 19_750_000, 1_537_967],
  ])("a ratio of %d gives the model's published price", (ratio, coins, modelPrice) => {
    const minted = coins / ratio;
    const supplies = seriesEnding(Array.from({ length: 366 }, (_, day) => coins - minted + (minted * day) / 365));
    const reading = s2fOn(seriesEnding([modelPrice / 2]), supplies, yesterday);
    expect(reading).toEqual({
      covered: true,
      day: yesterday,
      ratio: expect.closeTo(ratio, 6),
      supply: coins,
      issuance: expect.closeTo(minted, 6),
      price: modelPrice / 2,
      modelPrice: expect.closeTo(modelPrice, -1),
      modelGapPercent: expect.closeTo(100, 1),
      daysPresent: 365,
    });
  });
});

describe("the flow of Stock-to-Flow if the supply before the window is missing", () => {
  // The flow differs from day to day, which shows which day was used.
  const supplyBefore = (daysAgo: number): number => 19_000_000 - 450 * daysAgo - daysAgo ** 2;
  const supplyWithout = (missing: readonly number[]): DaySeries =>
    seriesEnding(
      Array.from({ length: 372 }, (_, index) => (missing.includes(371 - index) ? Number.NaN : supplyBefore(371 - index))),
    );
  const price = seriesEnding([100_000]);

  test.each<[string, number[], number]>([
    ["nothing is missing", [], 365],
    ["the day itself is missing, so the day before is used", [365], 366],
    ["that day and the day before are missing, so the day after is used", [365, 366], 364],
    ["two days are three days away, so the earlier one is used", [363, 364, 365, 366, 367], 368],
    ["only the later of those two is there, so it is used", [363, 364, 365, 366, 367, 368], 362],
  ])("%s: the growth is scaled to 365 days", (_, missing, daysAgo) => {
    expect(s2fOn(price, supplyWithout(missing), yesterday)).toMatchObject({
      covered: true,
      issuance: expect.closeTo(((19_000_000 - supplyBefore(daysAgo)) * 365) / daysAgo, 6),
    });
  });

  test("no day within three days of it is there: no reading", () => {
    expect(s2fOn(price, supplyWithout([362, 363, 364, 365, 366, 367, 368]), yesterday)).toEqual({
      covered: false,
      reason: "the supply of a year before is unknown, or has not grown since",
    });
  });

  test("a supply that did not grow has no flow, and no reading", () => {
    const still = seriesEnding(new Array(366).fill(21_000_000));
    expect(s2fOn(price, still, yesterday)).toEqual({
      covered: false,
      reason: "the supply of a year before is unknown, or has not grown since",
    });
  });
});

describe("windows with too few days", () => {
  test.each([
    [200, 190],
    [365, 347],
    [90, 86],
    [730, 694],
  ])("of %d days need %d", (window, needed) => {
    expect(daysNeeded(window)).toBe(needed);
  });

  const withGaps = (length: number, gapCount: number): DaySeries =>
    seriesEnding(Array.from({ length }, (_, index) => (index >= 10 && index < 10 + gapCount ? Number.NaN : 100)));
  const ones = withGaps(800, 0);

  test.each([
    ["mayer", (gapCount: number) => mayerOn(withGaps(200, gapCount), yesterday), 200, 190, "closing price"],
    ["puell", (gapCount: number) => puellOn(withGaps(365, gapCount), yesterday), 365, 347, "miner revenue"],
    [
      "nvt",
      (gapCount: number) => nvtOn({ closes: ones, supply: ones, volume: withGaps(90, gapCount) }, yesterday),
      90,
      86,
      "transaction value",
    ],
    ["the percentile", (gapCount: number) => percentileOn(withGaps(730, gapCount), yesterday, 730), 730, 694, "NVT ratio"],
  ])("%s: the needed number of days is enough, and one fewer is not", (_name, readingOf, window, needed, lacking) => {
    expect(readingOf(window - needed)).toMatchObject({ covered: true, daysPresent: needed });
    expect(readingOf(window - needed + 1)).toEqual({
      covered: false,
      reason: `the ${lacking} is known for ${needed - 1} of ${window} days, but at least ${needed} are needed`,
    });
  });

  test("a window whose own day is missing has no reading, even if it has all others", () => {
    const series = seriesEnding(new Array(400).fill(100));
    expect(mayerOn(series, today)).toEqual({ covered: false, reason: "the closing price of the day is unknown" });
    const unknown = "the closing price or the supply of the day is unknown";
    const whole = seriesEnding(Array.from({ length: 401 }, (_, index) => 100 + index));
    const later = { ...whole, firstDay: whole.firstDay + 1 };
    expect(nvtOn({ closes: series, supply: later, volume: later }, today)).toEqual({ covered: false, reason: unknown });
    expect(s2fOn(series, later, today)).toEqual({ covered: false, reason: unknown });
    expect(puellOn(series, today)).toEqual({ covered: false, reason: "the miner revenue of the day is unknown" });
  });

  test("a window without a value has no average", () => {
    expect(windowAverage(ones, today + 1000, 10)).toEqual({ average: Number.NaN, daysPresent: 0 });
  });
});

describe("the percentile", () => {
  const standing = (values: readonly number[]): unknown => percentileOn(seriesEnding(values), yesterday, values.length);

  test.each([
    ["the highest", [1, 2, 3, 4], 87.5],
    ["the lowest", [4, 3, 2, 1], 12.5],
    ["one of all equal values", [5, 5, 5, 5], 50],
    ["one of two equal highest values", [1, 2, 3, 3], 75],
  ])("of %s", (_which, values, percentile) => {
    expect(standing(values)).toEqual({ covered: true, percentile, daysPresent: 4 });
  });
});

import { describe, expect, test } from "vitest";
import { dayOfIso, dayOfMs, isoDay, pagesOf } from "../../../src/services/bitcoin/day.ts";
import {
  daysPresent,
  entriesOf,
  mergedSeries,
  newestDay,
  seriesFromPoints,
  seriesOf,
  type TimedValue,
  valueAt,
} from "../../../src/services/bitcoin/day-series.ts";

const at = (time: string, value: number): TimedValue => ({ atSeconds: Date.parse(time) / 1000, value });
const span = { first: dayOfMs(Date.UTC(2026, 0, 1)), last: dayOfMs(Date.UTC(2026, 0, 5)) };
const byDate = (series: Parameters<typeof entriesOf>[0]): object =>
  Object.fromEntries([...entriesOf(series)].map(([day, value]) => [isoDay(day), value]));

describe("points become one value per UTC day", () => {
  test.each<[string, TimedValue[], object]>([
    ["whatever their order", [at("2026-01-03T00:00Z", 3), at("2026-01-01T00:00Z", 1)], { "2026-01-01": 1, "2026-01-03": 3 }],
    ["the latest of each day", [at("2026-01-01T23:59:59Z", 2), at("2026-01-01T08:00Z", 1)], { "2026-01-01": 2 }],
    [
      "the last one listed, if several have the same time",
      [at("2026-01-01T00:00Z", 1), at("2026-01-01T00:00Z", 2)],
      { "2026-01-01": 2 },
    ],
    ["by UTC, not by any other zone", [at("2026-01-02T01:00+02:00", 1)], { "2026-01-01": 1 }],
    ["without the days after the span", [at("2026-01-05T23:59:59Z", 5), at("2026-01-06T00:00Z", 6)], { "2026-01-05": 5 }],
    ["without the days before it", [at("2025-12-31T23:59:59Z", 0), at("2026-01-01T00:00Z", 1)], { "2026-01-01": 1 }],
    ["and no points give no values", [], {}],
  ])("%s", (_, points, expected) => {
    expect(byDate(seriesFromPoints(points, span))).toEqual(expected);
  });
});

describe("a series", () => {
  const series = seriesOf(
    new Map([
      [20, 2],
      [17, 1],
    ]),
  );

  test("knows its gaps", () => {
    expect([16, 17, 18, 19, 20, 21].map((day) => valueAt(series, day))).toEqual([undefined, 1, undefined, undefined, 2, undefined]);
    expect([daysPresent(series, { first: 10, last: 30 }), daysPresent(series, { first: 18, last: 19 })]).toEqual([2, 0]);
  });

  test("knows its newest day, if it has one", () => {
    expect([newestDay(series), newestDay(seriesOf(new Map()))]).toEqual([20, undefined]);
  });

  test("prefers a newer reading, keeps days that the newer one lacks, and drops days outside the span", () => {
    const newer = seriesOf(
      new Map([
        [20, 20],
        [21, 21],
        [25, 25],
      ]),
    );
    expect([...entriesOf(mergedSeries(series, newer, { first: 17, last: 22 }))]).toEqual([
      [17, 1],
      [20, 20],
      [21, 21],
    ]);
    expect([...entriesOf(mergedSeries(series, newer, { first: 18, last: 20 }))]).toEqual([[20, 20]]);
  });
});

describe("days", () => {
  test("begin and end at midnight UTC", () => {
    const midnight = Date.UTC(2026, 10, 21);
    expect([midnight - 1, midnight, midnight + 86_399_999].map((ms) => isoDay(dayOfMs(ms)))).toEqual([
      "2026-11-20",
      "2026-11-21",
      "2026-11-21",
    ]);
  });

  test("are read as they are written, and only if they exist", () => {
    const texts = ["2026-11-21", "2024-02-29", "2026-02-29", "2026-13-01", "2026-1-1", "2026-11-21T00:00:00Z", ""];
    expect(texts.map((text) => isoDay(dayOfIso(text) ?? 0))).toEqual(["2026-11-21", "2024-02-29", ...Array(5).fill("1970-01-01")]);
  });

  test.each<[string, number, [number, number][]]>([
    ["one page if they fit", 10, [[1, 10]]],
    [
      "several if they do not",
      4,
      [
        [1, 4],
        [5, 8],
        [9, 10],
      ],
    ],
  ])("of a span are split into %s", (_, daysMax, pages) => {
    expect(pagesOf({ first: 1, last: 10 }, daysMax)).toEqual(pages.map(([first, last]) => ({ first, last })));
  });
});

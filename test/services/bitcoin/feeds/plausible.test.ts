import { describe, expect, test } from "vitest";
import { entriesOf, seriesOf } from "../../../../src/services/bitcoin/day-series.ts";
import { firstFallingDay, outlyingDays, withinBounds, withoutOutliers } from "../../../../src/services/bitcoin/feeds/plausible.ts";

const series = (values: readonly (number | undefined)[]) =>
  seriesOf(new Map(values.flatMap((value, day) => (value === undefined ? [] : [[day, value] as const]))));

describe("what no source can mean is sorted out", () => {
  test("values outside the bounds, whose ends are within", () => {
    const points = [0, 1, 50, 100, 101, Number.NaN].map((value) => ({ atSeconds: 0, value }));
    expect(withinBounds(points, { min: 1, max: 100 }).map(({ value }) => value)).toEqual([1, 50, 100]);
  });

  test.each<[string, (number | undefined)[], number[]]>([
    ["a value far over its neighbours", [10, 11, 10, 34, 12, 11], [3]],
    ["a value far under them", [10, 11, 10, 3, 12, 11], [3]],
    ["the newest value too", [10, 11, 10, 12, 11, 40], [5]],
    ["and two in a row", [10, 11, 10, 12, 40, 40, 11, 10], [4, 5]],
    ["but no value within the factor", [10, 11, 10, 30, 12, 11], []],
    ["nor a steady rise, gaps or not", Array.from({ length: 90 }, (_, day) => (day % 7 === 0 ? undefined : 1.05 ** day)), []],
    ["nor a value that is alone", [10], []],
  ])("%s", (_, values, days) => {
    expect([...outlyingDays(series(values), 3)]).toEqual(days);
  });

  test("leaving gaps where it was", () => {
    expect([...entriesOf(withoutOutliers(series([10, 11, 900, 12, 11]), 3))]).toEqual([
      [0, 10],
      [1, 11],
      [3, 12],
      [4, 11],
    ]);
  });

  test.each<[string, number[], number | undefined]>([
    ["a supply that rises or stands", [1, 2, 2, 3], undefined],
    ["one that differs in its last digits", [2, 1.9995], undefined],
    ["one that shrinks", [1, 3, 2.5, 4], 2],
  ])("%s", (_, values, day) => {
    expect(firstFallingDay(series(values))).toBe(day);
  });
});

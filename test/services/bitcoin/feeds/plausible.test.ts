import { describe, expect, test } from "vitest";
import { entriesOf, seriesOf } from "../../../../src/services/bitcoin/day-series.ts";
import { firstFallingDay, outlyingDays, withinBounds, withoutOutliers } from "../../../../src/services/bitcoin/feeds/plausible.ts";

const series = (values: readonly (number | undefined)[]) =>
  seriesOf(new Map(values.flatMap((value, day) => (value === undefined ? [] : [[day, value] as const]))));

describe("implausible values are removed:", () => {
  test("values outside the bounds, which are inclusive", () => {
    const points = [0, 1, 50, 100, 101, Number.NaN].map((value) => ({ atSeconds: 0, value }));
    expect(withinBounds(points, { min: 1, max: 100 }).map(({ value }) => value)).toEqual([1, 50, 100]);
  });

  test.each<[string, (number | undefined)[], number[]]>([
    ["a value far above its neighbours", [10, 11, 10, 34, 12, 11], [3]],
    ["a value far below them", [10, 11, 10, 3, 12, 11], [3]],
    ["even the newest value", [10, 11, 10, 12, 11, 40], [5]],
    ["two in a row", [10, 11, 10, 12, 40, 40, 11, 10], [4, 5]],
    ["not a value within the factor", [10, 11, 10, 30, 12, 11], []],
    [
      "not a steady rise, with or without gaps",
      Array.from({ length: 90 }, (_, day) => (day % 7 === 0 ? undefined : 1.05 ** day)),
      [],
    ],
    ["not a single value", [10], []],
    ["not values at the factor from the median, among others that are far from each other", [10, 30, 90, 30, 10], []],
  ])("%s", (_, values, days) => {
    expect([...outlyingDays(series(values), 3)]).toEqual(days);
  });

  test("and leave gaps", () => {
    expect([...entriesOf(withoutOutliers(series([10, 11, 900, 12, 11]), 3))]).toEqual([
      [0, 10],
      [1, 11],
      [3, 12],
      [4, 11],
    ]);
  });

  test.each<[string, number[], number | undefined]>([
    ["not a supply that rises or stays the same", [1, 2, 2, 3], undefined],
    ["not one that differs in its last digits", [2, 1.9995], undefined],
    ["a supply that shrinks", [1, 3, 2.5, 4], 2],
  ])("%s", (_, values, day) => {
    expect(firstFallingDay(series(values))).toBe(day);
  });
});

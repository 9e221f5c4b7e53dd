import { expect, test } from "vitest";
import { nearestName } from "../src/nearest-name.ts";

// A name of `length` different pairs of letters.
const long = (length: number): string => "abcdefghijklmnopqrstuvwxyz0123456789".slice(0, length);

test.for<[given: string, known: readonly string[], nearest: string | undefined]>([
  ["tag", ["tag", "name"], "tag"],
  ["taag", ["tag", "name"], "tag"],
  ["tga", ["name", "tag"], "tag"],
  ["t", ["tag"], undefined],
  ["Tag_List", ["taglist"], "taglist"],
  ["tab", ["tag", "tan"], "tag"],
  ["country_cod", ["country", "country_code"], "country_code"],
  ["", ["a"], "a"],
  ["x", [], undefined],
  // One letter in three, and no more than five.
  ["abcdef", ["abcdxx"], "abcdxx"],
  ["abcdef", ["abcxxx"], undefined],
  [long(30), [`${long(25)}-----`], `${long(25)}-----`],
  [long(30), [`${long(24)}------`], undefined],
  [long(30), [`-----${long(30)}`], `-----${long(30)}`],
  [long(30), [`-${long(14)}--${long(30).slice(14)}`, `--${long(30)}`], `--${long(30)}`],
  ["a".repeat(64), ["a".repeat(64)], "a".repeat(64)],
  ["a".repeat(65), ["a".repeat(64)], undefined],
  ["a".repeat(64), ["a".repeat(65)], undefined],
])("the name nearest to %j of %j is %j", ([given, known, nearest]) => {
  expect(nearestName(given, known)).toBe(nearest);
});

import { expect, test } from "vitest";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";

const draw = (seed: number, count: number): number[] => {
  const random = seeded(seed);
  return Array.from({ length: count }, () => random());
};

test("numbers are the same for the same seed, and different for the next one", () => {
  expect(draw(1, 5)).toEqual(draw(1, 5));
  expect(draw(1, 5)).not.toEqual(draw(2, 5));
});

test("numbers are spread evenly from 0 up to 1", () => {
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const number of draw(7, 10_000)) {
    const tenth = Math.floor(number * 10);
    tenths[tenth] = (tenths[tenth] ?? Number.NaN) + 1;
  }
  expect(tenths.every((count) => count > 900 && count < 1100)).toBe(true);
});

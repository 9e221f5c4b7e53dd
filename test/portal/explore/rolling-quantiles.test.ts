import fc from "fast-check";
import { expect, test } from "vitest";
import { rollingQuantiles } from "../../../portal/explore/bitcoin/rolling-quantiles.ts";

test("quantiles are missing until the window is full, and then cover only the window", () => {
  expect(rollingQuantiles([5, 1, 3, 9, 2], 3, [0, 0.5, 1])).toEqual([
    [null, null, 1, 1, 2],
    [null, null, 3, 3, 3],
    [null, null, 5, 9, 9],
  ]);
});

test("quantiles equal those of each window sorted from scratch", () => {
  const numbers = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 40 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 10 }), (values, window) => {
      const recomputed = values.map((_, index) => {
        const part = values.slice(Math.max(0, index - window + 1), index + 1).toSorted((one, other) => one - other);
        return part.length < window ? null : (part[Math.floor(0.9 * (window - 1))] ?? null);
      });
      expect(rollingQuantiles(values, window, [0.9])).toEqual([recomputed]);
    }),
  );
});

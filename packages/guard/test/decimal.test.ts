import fc from "fast-check";
import { expect, test } from "vitest";
import { decimal } from "../src/limits.ts";

test.each([0, 9, 10, 999, 1000, 1001, 10_000, 999_999, 1_000_000, 2 ** 32, Number.MAX_SAFE_INTEGER])(
  "%i is written with all its digits",
  (value) => {
    expect(decimal(value)).toBe(String(value));
  },
);

test("every whole number is written as JavaScript writes it", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      expect(decimal(value)).toBe(String(value));
    }),
  );
});

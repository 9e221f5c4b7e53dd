import fc from "fast-check";
import { expect, test } from "vitest";
import { sortedInTurns, type Yielder } from "../../../src/services/tokenlist/cooperative-yield.ts";

const endless: Yielder = { due: () => false, next: () => Promise.resolve() };

test("sorting in turns sorts correctly, and equal items keep their order", async () => {
  const items = fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.string()), { maxLength: 5000, size: "max" });
  await fc.assert(
    fc.asyncProperty(items, async (given) => {
      const compare = ([one]: readonly [number, string], [other]: readonly [number, string]): number => one - other;
      expect(await sortedInTurns(given, compare, endless)).toEqual(given.toSorted(compare));
    }),
    { numRuns: 30 },
  );
});

test("a turn of sorting 100,000 items has at most 20,000 comparisons", async () => {
  let comparisons = 0;
  let most = 0;
  const turns: Yielder = {
    due: () => {
      most = Math.max(most, comparisons);
      comparisons = 0;
      return true;
    },
    next: () => Promise.resolve(),
  };
  const items = Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 100_003);
  await sortedInTurns(
    items,
    (one, other) => {
      comparisons += 1;
      return one - other;
    },
    turns,
  );
  expect(Math.max(most, comparisons)).toBeLessThan(20_000);
});

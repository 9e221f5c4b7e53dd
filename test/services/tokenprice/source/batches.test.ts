import fc from "fast-check";
import { expect, test } from "vitest";
import { batchesOf, pathOf } from "../../../../src/services/tokenprice/source/price-source.ts";

test("a list of tokens keeps its colons and commas and escapes all that could end a path", () => {
  expect(pathOf(["sui:0x2::sui::SUI", "osmosis:ibc/27+1", "x:a?b#c%"])).toBe(
    "sui:0x2::sui::SUI,osmosis:ibc%2F27%2B1,x:a%3Fb%23c%25",
  );
});

test.each([
  [[], []],
  [["c", "a", "b"], [["a", "b", "c"]]],
  [
    ["a", "b", "c", "d"],
    [["a", "b", "c"], ["d"]],
  ],
  [
    ["aaaa", "bbbb", "cc"],
    [["aaaa", "bbbb"], ["cc"]],
  ],
  [
    ["a".repeat(20), "b"],
    [["a".repeat(20)], ["b"]],
  ],
])("%j are requested in %j", (ids, batches) => {
  expect(batchesOf(ids, { tokensMax: 3, charactersMax: 10 })).toEqual(batches);
});

test("batches stay within the bounds and contain every token once", () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 60 }), { maxLength: 120 });
  fc.assert(
    fc.property(ids, (list) => {
      const batches = batchesOf(list, { tokensMax: 30, charactersMax: 600 });
      expect(batches.flat().sort()).toEqual([...list].sort());
      expect(batches.filter((batch) => batch.length > 30 || pathOf(batch).length > 600)).toEqual([]);
    }),
  );
});

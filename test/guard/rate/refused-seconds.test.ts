// Which rate would have admitted all of a customer's calls, computed from what was refused.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { RefusedSeconds, rateNeeded } from "../../../src/guard/rate/refused-seconds.ts";

interface Row {
  readonly when: string;
  /** Calls refused at each of these times, in ms. */
  readonly refused: readonly (readonly [atMs: number, calls: number])[];
  readonly counts: readonly number[];
}

const ROWS: readonly Row[] = [
  {
    when: "all were refused in one second",
    refused: [
      [5000, 3],
      [5999, 2],
    ],
    counts: [3, 5],
  },
  {
    when: "a burst crosses from one second into the next",
    refused: [
      [5900, 4],
      [6100, 3],
    ],
    counts: [4, 7],
  },
  {
    when: "the next second ends, and another begins",
    refused: [
      [5900, 4],
      [6100, 3],
      [7000, 1],
    ],
    counts: [4, 7, 4],
  },
  {
    when: "a second without refusals lies in between",
    refused: [
      [5900, 4],
      [7000, 3],
    ],
    counts: [4, 3],
  },
  {
    when: "more than can be counted were refused in a second",
    refused: [
      [5000, 65_535],
      [6000, 1],
    ],
    counts: [Infinity, Infinity],
  },
  {
    when: "as many as can be counted were refused in a second",
    refused: [
      [5000, 65_534],
      [6000, 1],
    ],
    counts: [65_534, 65_535],
  },
];

describe("The refusals of two seconds in a row", () => {
  test.each(ROWS)("are counted when $when", ({ refused, counts }) => {
    const table = new SlotTable(1);
    const seconds = new RefusedSeconds(table.words);
    const slot = table.take() ?? -1;
    const last = refused.map(([atMs, calls]) => Array.from({ length: calls }, () => seconds.count(slot, atMs)).at(-1));
    expect(last).toEqual(counts);
  });
});

const PLAN_RATE = 3;

test("a plan with the rate that was computed admits all of the same calls", () => {
  const calls = fc.array(fc.tuple(fc.integer({ min: 0, max: 2500 }), fc.integer({ min: 1, max: 9 })), { maxLength: 40 });
  fc.assert(
    fc.property(calls, (gaps) => {
      const table = new SlotTable(2);
      const buckets = new SharedBuckets(table.words);
      const seconds = new RefusedSeconds(table.words);
      const [present, larger] = [table.take() ?? -1, table.take() ?? -1];
      let nowMs = 10_000;
      const times = gaps.flatMap(([gapMs, count]) => {
        nowMs += gapMs;
        return new Array<number>(count).fill(nowMs);
      });
      const refused = times.flatMap((atMs) =>
        buckets.take(present, PLAN_RATE, atMs).taken ? [] : [rateNeeded(PLAN_RATE, seconds.count(present, atMs), 1)],
      );
      const needed = Math.max(PLAN_RATE, ...refused);
      expect(times.every((atMs) => buckets.take(larger, needed, atMs).taken)).toBe(true);
    }),
  );
});

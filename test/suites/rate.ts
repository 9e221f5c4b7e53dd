// The suite for every bucket of requests per second, wherever it is kept. Time passes only when a test says so.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateTake } from "../../src/guard/rate/bucket.ts";
import { TextbookBucket } from "./textbook-bucket.ts";

/** Buckets for one test; all are full at first. */
export interface RateFixture {
  take(requestsPerSecond: number, name: string): RateTake | Promise<RateTake>;
  /** Refunds a token that was taken. */
  refund(requestsPerSecond: number, name: string, take: RateTake): void | Promise<void>;
  /** Advances the time by whole milliseconds. */
  advance(ms: number): void;
}

interface Seen {
  readonly taken: boolean;
  readonly remaining: number;
  readonly nextMs: number;
}

const roundUp = (ms: number, stepMs: number): number => Math.ceil(ms / stepMs) * stepMs;

/** The results, with times rounded up to a multiple of `stepMs`. */
const seen = (takes: readonly RateTake[], stepMs: number): Seen[] =>
  takes.map(({ taken, remaining, nextMs }) => ({ taken, remaining, nextMs: roundUp(nextMs - 1e-6, stepMs) }));

/** Takes one after another. */
async function takeAll(fixture: RateFixture, count: number, requestsPerSecond: number, name = "a"): Promise<RateTake[]> {
  const takes: RateTake[] = [];
  for (let take = 0; take < count; take++) {
    takes.push(await fixture.take(requestsPerSecond, name));
  }
  return takes;
}

/** The suite. `prepare` makes new buckets for each sequence of requests. */
export function rateSuite(prepare: () => RateFixture): void {
  describe("a bucket", () => {
    test("holds one second's worth, and says when the next request is allowed", async () => {
      const fixture = prepare();
      expect(seen(await takeAll(fixture, 6, 5), 100)).toEqual([
        { taken: true, remaining: 4, nextMs: 200 },
        { taken: true, remaining: 3, nextMs: 200 },
        { taken: true, remaining: 2, nextMs: 200 },
        { taken: true, remaining: 1, nextMs: 200 },
        { taken: true, remaining: 0, nextMs: 200 },
        { taken: false, remaining: 0, nextMs: 200 },
      ]);
    });

    test("of one request a second admits one", async () => {
      const fixture = prepare();
      expect(seen(await takeAll(fixture, 2, 1), 100)).toEqual([
        { taken: true, remaining: 0, nextMs: 1000 },
        { taken: false, remaining: 0, nextMs: 1000 },
      ]);
    });

    test("is not shared with another name", async () => {
      const fixture = prepare();
      const takes: boolean[] = [];
      for (const name of ["a", "b", "a", "b", "a/b"]) {
        takes.push((await fixture.take(1, name)).taken);
      }
      expect(takes).toEqual([true, true, false, false, true]);
    });

    test("holds one second's worth of the new rate after its rate changes", async () => {
      const fixture = prepare();
      const before = await takeAll(fixture, 2, 2);
      fixture.advance(1000);
      const after = await takeAll(fixture, 12, 10);
      expect(before.map(({ taken }) => taken)).toEqual([true, true]);
      // How many tokens of the new rate the old ones are worth may differ, as long as the bucket never has more than it can hold.
      expect(after.filter(({ taken }) => taken).length).toBeLessThanOrEqual(10);
      expect(after.filter(({ taken }) => taken).length).toBeGreaterThan(0);
    });

    test("never holds more than one second's worth, however long it is idle and whatever is refunded", async () => {
      const fixture = prepare();
      const take = await fixture.take(2, "a");
      await fixture.refund(2, "a", take);
      fixture.advance(10_000);
      await fixture.refund(2, "a", take);
      const takes = await takeAll(fixture, 3, 2);
      expect(takes.map(({ taken }) => taken)).toEqual([true, true, false]);
    });

    test("behaves like a textbook token bucket", async () => {
      const steps = fc.array(fc.record({ halves: fc.nat(7), refund: fc.boolean(), requests: fc.integer({ min: 1, max: 6 }) }), {
        maxLength: 20,
      });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(1, 2, 4, 5), steps, async (rate, plan) => {
          const fixture = prepare();
          const intervalMs = 1000 / rate;
          const textbook = new TextbookBucket(intervalMs, 1000);
          const takes: RateTake[] = [];
          const expected: Seen[] = [];
          for (const { halves, refund, requests } of plan) {
            fixture.advance((halves * intervalMs) / 2);
            textbook.add((halves * intervalMs) / 2);
            for (let request = 0; request < requests; request++) {
              takes.push(await fixture.take(rate, "a"));
              const { taken, remaining, next: nextMs } = textbook.take();
              expected.push({ taken, remaining, nextMs });
            }
            if (refund && expected.at(-1)?.taken === true) {
              await fixture.refund(rate, "a", takes.at(-1) as RateTake);
              textbook.add(intervalMs);
            }
          }
          expect(seen(takes, intervalMs / 2)).toEqual(expected);
        }),
        { numRuns: 50 },
      );
    });
  });
}

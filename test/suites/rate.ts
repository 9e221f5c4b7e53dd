// The suite for every bucket of requests per second, wherever it is kept. A test sends all its requests without waiting for responses, so
// that hardly any time passes on a real clock, and compares times rounded to much longer steps.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateTake } from "../../src/guard/rate/bucket.ts";
import { TextbookBucket } from "./textbook-bucket.ts";

/** Buckets for one test; all are full at first. */
export interface RateFixture {
  take(requestsPerSecond: number, name: string): RateTake | Promise<RateTake>;
  refund(requestsPerSecond: number, name: string): void;
  /** Advances a bucket's time by whole milliseconds. */
  advance(ms: number, name: string): void;
}

interface Seen {
  readonly taken: boolean;
  readonly remaining: number;
  readonly nextMs: number;
}

const roundUp = (ms: number, stepMs: number): number => Math.ceil(ms / stepMs) * stepMs;

/** The results of the requests, with times rounded up to a multiple of `stepMs`. */
async function seen(takes: readonly (RateTake | Promise<RateTake>)[], stepMs: number): Promise<Seen[]> {
  const all = await Promise.all(takes);
  return all.map(({ taken, remaining, nextMs }) => ({ taken, remaining, nextMs: roundUp(nextMs, stepMs) }));
}

/** The suite. `prepare` makes new buckets for each sequence of requests. */
export function rateSuite(prepare: () => RateFixture): void {
  describe("a bucket", () => {
    test("holds one second's worth, and says when the next request is allowed", async () => {
      const fixture = prepare();
      const takes = Array.from({ length: 6 }, () => fixture.take(5, "a"));
      expect(await seen(takes, 100)).toEqual([
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
      expect(await seen([fixture.take(1, "a"), fixture.take(1, "a")], 100)).toEqual([
        { taken: true, remaining: 0, nextMs: 1000 },
        { taken: false, remaining: 0, nextMs: 1000 },
      ]);
    });

    test("is not shared with another name", async () => {
      const fixture = prepare();
      const takes = ["a", "b", "a", "b", "a/b"].map((name) => fixture.take(1, name));
      expect((await seen(takes, 1000)).map(({ taken }) => taken)).toEqual([true, true, false, false, true]);
    });

    test("holds one second's worth of the new rate after its rate changes", async () => {
      const fixture = prepare();
      const before = Array.from({ length: 2 }, () => fixture.take(2, "a"));
      fixture.advance(500, "a");
      const after = Array.from({ length: 6 }, () => fixture.take(10, "a"));
      const taken = (await seen([...before, ...after], 1000)).map((one) => one.taken);
      expect(taken).toEqual([true, true, true, true, true, true, true, false]);
    });

    test("never holds more than one second's worth, however long it is idle and whatever is refunded", async () => {
      const fixture = prepare();
      fixture.refund(2, "a");
      fixture.advance(10_000, "a");
      fixture.refund(2, "a");
      const takes = Array.from({ length: 3 }, () => fixture.take(2, "a"));
      expect((await seen(takes, 500)).map(({ taken }) => taken)).toEqual([true, true, false]);
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
          const takes: (RateTake | Promise<RateTake>)[] = [];
          const expected: Seen[] = [];
          for (const { halves, refund, requests } of plan) {
            fixture.advance((halves * intervalMs) / 2, "a");
            textbook.add((halves * intervalMs) / 2);
            for (let request = 0; request < requests; request++) {
              takes.push(fixture.take(rate, "a"));
              const { taken, remaining, next: nextMs } = textbook.take();
              expected.push({ taken, remaining, nextMs });
            }
            if (refund && expected.at(-1)?.taken === true) {
              fixture.refund(rate, "a");
              textbook.add(intervalMs);
            }
          }
          expect(await seen(takes, intervalMs / 2)).toEqual(expected);
        }),
        { numRuns: 50 },
      );
    });
  });
}

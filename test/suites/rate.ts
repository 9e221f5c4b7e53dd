// How every bucket of requests per second behaves, wherever it is kept. A test sends all its requests without waiting for answers in between: where
// time is real, next to none of it passes meanwhile. And it compares times rounded to steps that are long beside that.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateTake } from "../../src/guard/rate/bucket.ts";
import { TextbookBucket } from "./textbook-bucket.ts";

/** Buckets for one test; all are full at first. */
export interface RateFixture {
  take(requestsPerSecond: number, name: string): RateTake | Promise<RateTake>;
  putBack(requestsPerSecond: number, name: string): void;
  /** Lets time pass for a bucket, in whole milliseconds. */
  advance(ms: number, name: string): void;
}

interface Seen {
  readonly taken: boolean;
  readonly remaining: number;
  readonly nextMs: number;
}

const roundUp = (ms: number, stepMs: number): number => Math.ceil(ms / stepMs) * stepMs;

/** What the requests got, with times rounded up to a multiple of `stepMs`. */
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

    test("is shared by nobody with another name", async () => {
      const fixture = prepare();
      const takes = ["a", "b", "a", "b", "a/b"].map((name) => fixture.take(1, name));
      expect((await seen(takes, 1000)).map(({ taken }) => taken)).toEqual([true, true, false, false, true]);
    });

    test("whose rate changes holds one second's worth of the new rate", async () => {
      const fixture = prepare();
      const before = Array.from({ length: 2 }, () => fixture.take(2, "a"));
      fixture.advance(500, "a");
      const after = Array.from({ length: 6 }, () => fixture.take(10, "a"));
      const taken = (await seen([...before, ...after], 1000)).map((one) => one.taken);
      expect(taken).toEqual([true, true, true, true, true, true, true, false]);
    });

    test("never holds more than one second's worth, however long it rests and whatever is put back", async () => {
      const fixture = prepare();
      fixture.putBack(2, "a");
      fixture.advance(10_000, "a");
      fixture.putBack(2, "a");
      const takes = Array.from({ length: 3 }, () => fixture.take(2, "a"));
      expect((await seen(takes, 500)).map(({ taken }) => taken)).toEqual([true, true, false]);
    });

    test("does what the textbook's bucket does", async () => {
      const steps = fc.array(fc.record({ halves: fc.nat(7), putBack: fc.boolean(), requests: fc.integer({ min: 1, max: 6 }) }), {
        maxLength: 20,
      });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(1, 2, 4, 5), steps, async (rate, plan) => {
          const fixture = prepare();
          const intervalMs = 1000 / rate;
          const textbook = new TextbookBucket(intervalMs, 1000);
          const takes: (RateTake | Promise<RateTake>)[] = [];
          const expected: Seen[] = [];
          for (const { halves, putBack, requests } of plan) {
            fixture.advance((halves * intervalMs) / 2, "a");
            textbook.add((halves * intervalMs) / 2);
            for (let request = 0; request < requests; request++) {
              takes.push(fixture.take(rate, "a"));
              const { taken, remaining, next: nextMs } = textbook.take();
              expected.push({ taken, remaining, nextMs });
            }
            if (putBack && expected.at(-1)?.taken === true) {
              fixture.putBack(rate, "a");
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

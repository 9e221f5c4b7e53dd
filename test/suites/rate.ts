// How every bucket of requests per second behaves, wherever it is kept. Steps are taken without waiting for answers in between, so that
// where the time is real next to none of it passes within a test; and times are compared in steps that are long beside it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateTake } from "../../src/guard/rate/bucket.ts";

/** Buckets for one test, all full. */
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

/** A bucket as the textbook has it, in whole milliseconds: it fills with time, and a request takes one interval out of it. */
class TextbookBucket {
  readonly #intervalMs: number;
  #contentMs = 1000;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  add(ms: number): void {
    this.#contentMs = Math.min(1000, this.#contentMs + ms);
  }

  take(): Seen {
    const taken = this.#contentMs >= this.#intervalMs;
    this.#contentMs -= taken ? this.#intervalMs : 0;
    const remaining = taken ? Math.floor(this.#contentMs / this.#intervalMs) : 0;
    return { taken, remaining, nextMs: (remaining + 1) * this.#intervalMs - this.#contentMs };
  }
}

const roundUp = (ms: number, stepMs: number): number => Math.ceil(ms / stepMs) * stepMs;

/** What the takes were, with their times rounded up to a multiple of `stepMs`. */
async function seen(takes: readonly (RateTake | Promise<RateTake>)[], stepMs: number): Promise<Seen[]> {
  const all = await Promise.all(takes);
  return all.map(({ taken, remaining, nextMs }) => ({ taken, remaining, nextMs: roundUp(nextMs, stepMs) }));
}

/** The suite. `prepare` is called for each set of steps. */
export function rateSuite(prepare: () => RateFixture): void {
  describe("a bucket", () => {
    test("holds one second's worth, and says when there is more", async () => {
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

    test("is of its own name alone", async () => {
      const fixture = prepare();
      const takes = ["a", "b", "a", "b", "a/b"].map((name) => fixture.take(1, name));
      expect((await seen(takes, 1000)).map(({ taken }) => taken)).toEqual([true, true, false, false, true]);
    });

    test("that is followed at another rate has one second's worth of that", async () => {
      const fixture = prepare();
      const before = Array.from({ length: 2 }, () => fixture.take(2, "a"));
      fixture.advance(500, "a");
      const after = Array.from({ length: 6 }, () => fixture.take(10, "a"));
      const taken = (await seen([...before, ...after], 1000)).map((one) => one.taken);
      expect(taken).toEqual([true, true, true, true, true, true, true, false]);
    });

    test("is never fuller than full, however long it rests and whatever is put back", async () => {
      const fixture = prepare();
      fixture.putBack(2, "a");
      fixture.advance(10_000, "a");
      fixture.putBack(2, "a");
      const takes = Array.from({ length: 3 }, () => fixture.take(2, "a"));
      expect((await seen(takes, 500)).map(({ taken }) => taken)).toEqual([true, true, false]);
    });

    test("does what the textbook's does", async () => {
      const steps = fc.array(fc.record({ halves: fc.nat(7), putBack: fc.boolean(), requests: fc.integer({ min: 1, max: 6 }) }), {
        maxLength: 20,
      });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(1, 2, 4, 5), steps, async (rate, plan) => {
          const fixture = prepare();
          const intervalMs = 1000 / rate;
          const textbook = new TextbookBucket(intervalMs);
          const takes: (RateTake | Promise<RateTake>)[] = [];
          const expected: Seen[] = [];
          for (const { halves, putBack, requests } of plan) {
            fixture.advance((halves * intervalMs) / 2, "a");
            textbook.add((halves * intervalMs) / 2);
            for (let request = 0; request < requests; request++) {
              takes.push(fixture.take(rate, "a"));
              expected.push(textbook.take());
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

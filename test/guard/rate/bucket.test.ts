import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { type RateFixture, rateSuite } from "../../suites/rate.ts";
import { TextbookBucket } from "../../suites/textbook-bucket.ts";

const NANOSECONDS_PER_SECOND = 1_000_000_000;

const bucketsOf = () => new SharedBuckets(new SlotTable(1).words);

describe("in memory", () => {
  rateSuite(() => {
    const table = new SlotTable(10);
    const buckets = new SharedBuckets(table.words);
    const slots = new Map<string, number>();
    const slotOf = (name: string): number => {
      const slot = slots.get(name) ?? table.take() ?? 0;
      slots.set(name, slot);
      return slot;
    };
    let nowMs = 10_000;
    const fixture: RateFixture = {
      take: (rate, name) => buckets.take(slotOf(name), rate, nowMs),
      refund: (rate, name) => buckets.refund(slotOf(name), rate),
      advance(ms) {
        nowMs += ms;
      },
    };
    return fixture;
  });
});

test("a share below one request a second is one request in several seconds", () => {
  const buckets = bucketsOf();
  const takes = [0, 0, 3999, 4000].map((nowMs) => buckets.take(0, 1 / 4, 10_000 + nowMs));
  expect(takes).toEqual([
    { taken: true, remaining: 0, nextMs: 4000 },
    { taken: false, remaining: 0, nextMs: 4000 },
    { taken: false, remaining: 0, nextMs: 1 },
    { taken: true, remaining: 0, nextMs: 4000 },
  ]);
});

const steps = fc.array(fc.record({ afterMs: fc.nat(400), refund: fc.boolean(), requests: fc.integer({ min: 1, max: 6 }) }), {
  maxLength: 60,
});

test("the bucket behaves like a textbook token bucket", () => {
  fc.assert(
    fc.property(fc.constantFrom(1, 2, 4, 5, 8, 10, 20, 40, 50), fc.nat(1_000_000_000), steps, (rate, startMs, plan) => {
      const buckets = bucketsOf();
      const intervalNs = NANOSECONDS_PER_SECOND / rate;
      const textbook = new TextbookBucket(intervalNs, NANOSECONDS_PER_SECOND);
      let nowMs = startMs;
      for (const { afterMs, refund, requests } of plan) {
        nowMs += afterMs;
        textbook.add(afterMs * 1_000_000);
        for (let request = 0; request < requests; request++) {
          const take = buckets.take(0, rate, nowMs);
          const { taken, remaining, next } = textbook.take();
          expect(take).toEqual({ taken, remaining, nextMs: next / 1_000_000 });
          if (taken && refund) {
            buckets.refund(0, rate);
            textbook.add(intervalNs);
          }
        }
      }
    }),
  );
});

test("no window of any length admits more than the rate and the burst", () => {
  const hits = fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 20, maxLength: 300 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120 }), hits, (rate, gapsMs) => {
      const buckets = bucketsOf();
      let nowMs = 86_400_000.5;
      const admittedAt: number[] = [];
      for (const gapMs of gapsMs) {
        nowMs += gapMs;
        if (buckets.take(0, rate, nowMs).taken) {
          admittedAt.push(nowMs);
        }
      }
      const excess = admittedAt.flatMap((from, first) =>
        admittedAt.slice(first).map((to, more) => more + 1 - ((to - from) / 1000) * rate - rate),
      );
      // The rounding of time is far below a thousandth of a request.
      expect(Math.max(0, ...excess)).toBeLessThan(0.001);
    }),
  );
});

test("a caller who retries exactly when told is always admitted", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (rate) => {
      const buckets = bucketsOf();
      for (let request = 0; request < rate && request < 200; request++) {
        expect(buckets.take(0, rate, 5).taken).toBe(true);
      }
      fc.pre(rate <= 200);
      let nowMs = 5;
      for (let request = 0; request < 20; request++) {
        const refusal = buckets.take(0, rate, nowMs);
        expect(refusal.taken).toBe(false);
        nowMs += Math.ceil(refusal.nextMs);
        expect(buckets.take(0, rate, nowMs).taken).toBe(true);
        nowMs = Math.max(nowMs, 5);
        while (buckets.take(0, rate, nowMs).taken) {
          // Time was rounded up to a whole millisecond, in which more than one token may have arrived.
        }
      }
    }),
  );
});

describe("a bucket reports", () => {
  test.each([
    { rate: 5, requests: 1, expected: { taken: true, remaining: 4, nextMs: 200 } },
    { rate: 5, requests: 5, expected: { taken: true, remaining: 0, nextMs: 200 } },
    { rate: 5, requests: 6, expected: { taken: false, remaining: 0, nextMs: 200 } },
    { rate: 1, requests: 1, expected: { taken: true, remaining: 0, nextMs: 1000 } },
    { rate: 1, requests: 2, expected: { taken: false, remaining: 0, nextMs: 1000 } },
    { rate: 100_000, requests: 1, expected: { taken: true, remaining: 99_999, nextMs: 0.01 } },
  ])("%j", ({ rate, requests, expected }) => {
    const buckets = bucketsOf();
    const takes = Array.from({ length: requests }, () => buckets.take(0, rate, 1_000_000));
    expect(takes.at(-1)).toEqual(expected);
  });
});

test("a bucket is idle from the moment it is full", () => {
  const buckets = bucketsOf();
  buckets.take(0, 2, 10_000);
  expect([buckets.fullForMs(0, 10_000), buckets.fullForMs(0, 10_500), buckets.fullForMs(0, 11_000)]).toEqual([-500, 0, 500]);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RateLimit, Throttle, takeAll } from "../src/throttle.ts";
import { createManualClock } from "./manual-clock.ts";

// The result of each try, after the given time has passed.
function waitsMsOf(pace: RateLimit, triesAfterMs: readonly number[]): number[] {
  const clock = createManualClock({ nowMs: 0 });
  const throttle = new Throttle(clock, pace);
  return triesAfterMs.map((ms) => {
    clock.advance(ms);
    return throttle.take("ada");
  });
}

describe("a limit of 3 tries in a burst and one every 100 ms", () => {
  test.for<{ triesAfterMs: readonly number[]; waitsMs: readonly number[]; what: string }>([
    { what: "a burst, and no more", triesAfterMs: [0, 0, 0, 0, 0], waitsMs: [0, 0, 0, 100, 100] },
    { what: "a refused try costs nothing", triesAfterMs: [0, 0, 0, 60, 30, 10], waitsMs: [0, 0, 0, 40, 10, 0] },
    { what: "one try at a time becomes available", triesAfterMs: [0, 0, 0, 100, 0, 100, 0], waitsMs: [0, 0, 0, 0, 100, 0, 100] },
    {
      what: "as many tries become available as the elapsed time allows",
      triesAfterMs: [0, 0, 0, 200, 0, 0],
      waitsMs: [0, 0, 0, 0, 0, 100],
    },
    { what: "never more than the burst", triesAfterMs: [0, 0, 0, 1e9, 0, 0, 0], waitsMs: [0, 0, 0, 0, 0, 0, 100] },
    { what: "an even pace can continue forever", triesAfterMs: new Array(50).fill(100), waitsMs: new Array(50).fill(0) },
    { what: "a fraction of a millisecond counts", triesAfterMs: [0, 0, 0, 99.5, 0.5], waitsMs: [0, 0, 0, 0.5, 0] },
  ])("$what", ({ triesAfterMs, waitsMs }) => {
    expect(waitsMsOf({ burst: 3, everyMs: 100 }, triesAfterMs)).toEqual(waitsMs);
  });
});

test("no span of time allows more tries than the burst and the refill, and no wait is too long", () => {
  const pace = fc.record({ burst: fc.integer({ min: 1, max: 8 }), everyMs: fc.integer({ min: 1, max: 500 }) });
  fc.assert(
    fc.property(pace, fc.array(fc.nat(300), { maxLength: 60 }), ({ burst, everyMs }, triesAfterMs) => {
      const waitsMs = waitsMsOf({ burst, everyMs }, triesAfterMs);
      let nowMs = 0;
      const letInAtMs: number[] = [];
      for (const [index, afterMs] of triesAfterMs.entries()) {
        nowMs += afterMs;
        if (waitsMs[index] === 0) {
          letInAtMs.push(nowMs);
        }
        expect(waitsMs[index]).toBeLessThanOrEqual(everyMs);
      }
      for (const [first, fromMs] of letInAtMs.entries()) {
        for (const [last, untilMs] of letInAtMs.entries()) {
          expect(last - first + 1).toBeLessThanOrEqual(burst + Math.max(0, untilMs - fromMs) / everyMs);
        }
      }
    }),
  );
});

test("callers do not use up each other's tries", () => {
  const throttle = new Throttle(createManualClock({ nowMs: 0 }), { burst: 1, everyMs: 1000 });
  expect(["ada", "bob", "ada", "bob", ""].map((who) => throttle.take(who))).toEqual([0, 0, 1000, 1000, 0]);
});

test("a try that counts against several throttles costs nothing if one refuses it, and waits for the slowest", () => {
  const clock = createManualClock({ nowMs: 0 });
  const quick = new Throttle(clock, { burst: 3, everyMs: 100 });
  const slow = new Throttle(clock, { burst: 1, everyMs: 1000 });
  const both = (): number =>
    takeAll([
      [quick, "ada"],
      [slow, "ada"],
    ]);
  expect([both(), both(), both()]).toEqual([0, 1000, 1000]);
  expect([quick.take("ada"), quick.take("ada"), quick.take("ada")]).toEqual([0, 0, 100]);
  expect(both()).toBe(1000);
  clock.advance(1000);
  expect([both(), quick.take("ada"), quick.take("ada"), quick.take("ada")]).toEqual([0, 0, 0, 100]);
  expect([slow.waitMs("ada"), slow.waitMs("bob")]).toEqual([1000, 0]);
});

test("the number of remembered callers is limited: those whose last try is oldest are forgotten", () => {
  const throttle = new Throttle(createManualClock({ nowMs: 0 }), { burst: 1, everyMs: 1000 });
  throttle.take("busy");
  throttle.take("resting");
  const ofBusy = Array.from({ length: 20_000 }, (_, index) => {
    throttle.take(`passing ${index}`);
    return throttle.take("busy");
  });
  expect(new Set(ofBusy)).toEqual(new Set([1000]));
  expect(throttle.take("resting")).toBe(0);
});

test("a try that was refunded can be made again", () => {
  const throttle = new Throttle(createManualClock({ nowMs: 0 }), { burst: 2, everyMs: 100 });
  const seen = [throttle.take("ada"), throttle.take("ada"), throttle.ahead("ada"), throttle.take("ada")];
  throttle.refund("ada");
  expect([...seen, throttle.ahead("ada"), throttle.take("ada"), throttle.take("ada")]).toEqual([0, 0, 2, 100, 1, 0, 100]);
  throttle.refund("bob");
  expect([throttle.take("bob"), throttle.take("bob"), throttle.take("bob")]).toEqual([0, 0, 100]);
});

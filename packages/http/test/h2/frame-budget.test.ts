import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameBudget } from "../../src/h2/connection-budgets.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

// How many of `count` frames are allowed now.
const allowed = (budget: FrameBudget, count: number): number =>
  Array.from({ length: count }, () => budget.spend()).filter(Boolean).length;

test("a burst is allowed at once, then as many as the elapsed time and earned credit allow", () => {
  const clock = createManualClock({ nowMs: 0 });
  const budget = new FrameBudget(clock, 100, 20);
  const atOnce = allowed(budget, 150);
  clock.advance(1000);
  const afterASecond = allowed(budget, 50);
  clock.advance(49);
  const tooEarly = allowed(budget, 1);
  clock.advance(1);
  const inTime = allowed(budget, 2);
  budget.refill(4);
  const earned = allowed(budget, 10);
  budget.refill(1000);
  const earnedInABurst = allowed(budget, 1000);
  clock.advance(1e9);
  expect({ atOnce, afterASecond, tooEarly, inTime, earned, earnedInABurst, afterARest: allowed(budget, 1000) }).toEqual({
    atOnce: 100,
    afterASecond: 20,
    tooEarly: 0,
    inTime: 1,
    earned: 4,
    earnedInABurst: 100,
    afterARest: 100,
  });
});

test("at most the elapsed time, earned credit and two bursts are allowed, and at least one burst", () => {
  const steps = fc.array(
    fc.record({ afterMs: fc.oneof(fc.constant(0), fc.nat(3000)), count: fc.nat(80), earned: fc.constantFrom(0, 0, 1, 4, 200) }),
    { maxLength: 60 },
  );
  const rates = fc.record({ burst: fc.integer({ min: 1, max: 100 }), perSecond: fc.integer({ min: 1, max: 50 }) });
  fc.assert(
    fc.property(rates, steps, ({ burst, perSecond }, all) => {
      const clock = createManualClock({ nowMs: 0 });
      const budget = new FrameBudget(clock, burst, perSecond);
      let most = 2 * burst;
      let least = burst;
      for (const { afterMs, count, earned } of all) {
        clock.advance(afterMs);
        budget.refill(earned);
        const gained = (afterMs / 1000) * perSecond + earned;
        most += gained;
        // Slightly less, because an interval is rounded up to whole nanoseconds.
        least = Math.min(burst, least + gained - 1e-6 * afterMs);
        const through = allowed(budget, count);
        most -= through;
        least = Math.max(0, least - through);
        expect(most).toBeGreaterThanOrEqual(-1e-6);
        if (through < count) {
          expect(least).toBeLessThan(1);
        }
      }
    }),
  );
});

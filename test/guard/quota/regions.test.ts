// A customer's monthly quota on servers that lease from their region, and regions that lease from a home store with the same code, in
// simulated
// time: never more than the plan, whatever fails.
import { describe, expect, test } from "vitest";
import { type MonthScenario, simulateMonth } from "./simulated-month.ts";

const QUIET: Omit<MonthScenario, "seed"> = {
  regions: 5,
  serversPerRegion: 4,
  serversReached: 4,
  callsPerMonth: 40_000,
  requestsPerSecond: 2,
  pace: 2,
  // Enough for an hour at the full rate, if a part of the month is left.
  regionHolds: { ofMonth: 0.2, ofRest: 0.2 },
  isCut: false,
  deaths: 0,
  isRegionLost: false,
};

describe.each([1, 2, 3])("A month in five regions, seed %i", (seed) => {
  test("can be used up to the last call", async () => {
    const { used, forfeited } = await simulateMonth({ ...QUIET, seed });
    expect({ used, forfeited }).toEqual({ used: QUIET.callsPerMonth, forfeited: 0 });
  });

  test("is served in a region that cannot reach the home store for an hour", async () => {
    const { used, cutCalls, cutServed } = await simulateMonth({ ...QUIET, seed, isCut: true });
    expect(cutCalls).toBeGreaterThan(1000);
    expect(cutServed / cutCalls).toBeGreaterThanOrEqual(0.99);
    expect(used).toBe(QUIET.callsPerMonth);
  });

  test("loses what lost servers and a lost region held, and admits no call twice", async () => {
    const { used, forfeited } = await simulateMonth({ ...QUIET, seed, isCut: true, deaths: 20, isRegionLost: true });
    expect(forfeited).toBeGreaterThan(0);
    expect(used + forfeited).toBeLessThanOrEqual(QUIET.callsPerMonth);
    expect(used + forfeited).toBeGreaterThanOrEqual(0.999 * QUIET.callsPerMonth);
  });

  test("is served less in a region that is cut off and holds a hundredth of the plan", async () => {
    const small = { ...QUIET, seed, isCut: true, regionHolds: { ofMonth: 0.01, ofRest: 0.01 } };
    const { used, cutCalls, cutServed } = await simulateMonth(small);
    expect(cutServed / cutCalls).toBeLessThan(0.5);
    expect(used).toBe(QUIET.callsPerMonth);
  });
});

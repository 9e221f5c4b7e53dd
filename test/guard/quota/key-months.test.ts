// The simulation of ten million keys keeps leases in arrays. For one key, its results must be those of the guard's own code.
import { describe, expect, test } from "vitest";
import { type Fleet, KeyMonths, noCounts } from "../../../bench/leases/key-months.ts";
import { simulateMonth } from "./simulated-month.ts";

const NEVER_S = Number.POSITIVE_INFINITY;
const FLEET: Fleet = {
  regions: 5,
  serversPerRegion: 4,
  serversPerKey: 4,
  evictionRoundS: NEVER_S,
  cut: { region: 0, fromS: NEVER_S, toS: NEVER_S },
  deaths: [],
};

describe.each([
  { callsPerMonth: 1000, requestsPerSecond: 1 },
  { callsPerMonth: 30_000, requestsPerSecond: 2 },
])("A month of $callsPerMonth calls in arrays", ({ callsPerMonth, requestsPerSecond }) => {
  const run = (fleet: Fleet, calls: number): ReturnType<typeof noCounts> => {
    const counts = noCounts();
    const ofServer = { callsPerMonth, requestsPerSecond };
    const ofRegion = { callsPerMonth, requestsPerSecond: callsPerMonth };
    new KeyMonths(fleet, 1).run({ ofServer, ofRegion, startS: 0, intervalS: 1 / requestsPerSecond, calls }, calls, counts, counts);
    return counts;
  };

  test("waits as often, and sends as many requests, as one of the guard's objects", async () => {
    const guard = await simulateMonth({
      regions: FLEET.regions,
      serversPerRegion: FLEET.serversPerRegion,
      serversReached: FLEET.serversPerKey,
      callsPerMonth,
      requestsPerSecond,
      pace: requestsPerSecond,
      regionHolds: { ofMonth: 0.01, ofRest: 0.1 / FLEET.regions },
      seed: 1,
      isCut: false,
      deaths: 0,
      isRegionLost: false,
    });
    const arrays = run(FLEET, callsPerMonth);
    expect(Math.abs(arrays.toRegion - guard.toRegion)).toBeLessThanOrEqual(0.15 * guard.toRegion);
    // Nearly all are the first calls at a server; in the guard, some more wait when the month is almost used up.
    expect(Math.abs(arrays.waited - guard.waited)).toBeLessThanOrEqual(0.3 * guard.waited);
  });

  test("never serves more than the plan", () => {
    const counts = run(FLEET, 2 * callsPerMonth);
    expect(counts.over).toBe(0);
    expect(counts.calls - counts.refused).toBeLessThanOrEqual(callsPerMonth);
  });

  test("loses what dead servers held, and makes leases again that were evicted", () => {
    const deaths = Array.from({ length: 20 }, (_, server) => ({ atS: (callsPerMonth / requestsPerSecond) * 0.5, server }));
    const calm = run(FLEET, callsPerMonth / 2 + 10);
    expect(calm.forfeited).toBe(0);
    expect(run({ ...FLEET, deaths }, callsPerMonth / 2 + 10).forfeited).toBeGreaterThan(0);
    const crowded = run({ ...FLEET, evictionRoundS: 5 }, callsPerMonth / 2);
    expect(crowded.waited).toBeGreaterThan(2 * calm.waited);
  });
});

// A month of one customer's calls to servers in regions, call by call in simulated time. The faults are drawn from a seed: a region is cut
// off for an
// hour, servers die, and a region is lost with everything that it holds.
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { type RegionsOptions, SimulatedRegions } from "./simulated-regions.ts";
import { SimulatedTime, settled } from "./simulated-time.ts";

const MONTH_STARTS_MS = Date.UTC(2026, 10, 1);
const CUT_MS = 3_600_000;
// The customer gives up after this part of the plan has been refused.
const REFUSED_PART = 0.2;

export interface MonthScenario extends Omit<RegionsOptions, "time"> {
  /** The customer's calls reach this many servers of each region. */
  readonly serversReached: number;
  /** How many calls a second are made. */
  readonly pace: number;
  readonly seed: number;
  /** Whether a region is cut off from the home store for an hour. */
  readonly isCut: boolean;
  /** How many servers die. */
  readonly deaths: number;
  /** Whether a region is lost with its servers and all that they hold. */
  readonly isRegionLost: boolean;
}

export interface MonthSeen {
  calls: number;
  used: number;
  refused: number;
  waited: number;
  forfeited: number;
  toRegion: number;
  toHome: number;
  cutCalls: number;
  cutServed: number;
}

export async function simulateMonth(scenario: MonthScenario): Promise<MonthSeen> {
  const { regions: count, serversPerRegion, serversReached, callsPerMonth, pace, isCut, deaths } = scenario;
  const time = new SimulatedTime(MONTH_STARTS_MS);
  const regions = new SimulatedRegions({ ...scenario, time });
  const random = seeded(scenario.seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const spanMs = (callsPerMonth / pace) * 1000;
  const cutFromMs = spanMs * (0.2 + 0.3 * random());
  const [cutRegion, lostRegion] = [below(count), below(count)];
  const deathsAt = new Set(Array.from({ length: deaths }, () => below(callsPerMonth)));
  const seen: MonthSeen = {
    calls: 0,
    used: 0,
    refused: 0,
    waited: 0,
    forfeited: 0,
    toRegion: 0,
    toHome: 0,
    cutCalls: 0,
    cutServed: 0,
  };
  let { isRegionLost: isLossDue } = scenario;
  const fail = (): void => {
    const nowMs = time.monotonicMs();
    regions.cutRegion = isCut && nowMs >= cutFromMs && nowMs < cutFromMs + CUT_MS ? cutRegion : undefined;
    if (deathsAt.has(seen.calls)) {
      regions.loseServer(below(count), below(serversPerRegion));
    }
    if (isLossDue && nowMs > spanMs * 0.7) {
      isLossDue = false;
      regions.loseRegion(lostRegion);
    }
  };
  for (; seen.used < callsPerMonth && seen.refused < callsPerMonth * REFUSED_PART; seen.calls += 1) {
    await time.passTo(time.monotonicMs() + 1000 / pace);
    fail();
    const region = below(count);
    const isInCut = region === regions.cutRegion;
    const end = (isServed: boolean): void => {
      seen.used += isServed ? 1 : 0;
      seen.refused += isServed ? 0 : 1;
      seen.cutCalls += isInCut ? 1 : 0;
      seen.cutServed += isInCut && isServed ? 1 : 0;
    };
    const taking = regions.server(region, below(serversReached)).take();
    if (taking instanceof Promise) {
      seen.waited += 1;
      void taking.then((taken) => end(typeof taken === "object"));
      await settled();
    } else {
      end(taking !== "exhausted");
    }
  }
  await time.passTo(time.monotonicMs() + 1000);
  const { forfeited, toRegion, toHome } = regions;
  return { ...seen, forfeited, toRegion, toHome };
}

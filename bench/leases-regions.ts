// Simulates the month of one customer on a thousand servers in ten regions: see test/guard/quota/simulated-regions.ts. A region is cut off
// from the home store for an hour, and servers die. `npm run bench:leases-regions`.
import { REGION_HOLDS } from "../src/guard/quota/lease-size.ts";
import { type MonthScenario, type MonthSeen, simulateMonth } from "../test/guard/quota/simulated-month.ts";

const MONTH_S = 30 * 86_400;
// The month must be used up before it ends.
const IN_DAYS = 24;

const PLANS = [
  { callsPerMonth: 10_000, requestsPerSecond: 10 },
  { callsPerMonth: 100_000, requestsPerSecond: 10 },
];
const HOLDS = [
  { name: "1% of the plan and of the rest", regionHolds: { ofMonth: 0.01, ofRest: 0.01 } },
  { name: "10% of the plan, 20% of the rest", regionHolds: REGION_HOLDS },
];
const FAULTS = [
  { deaths: 20, isRegionLost: false },
  { deaths: 200, isRegionLost: false },
  { deaths: 20, isRegionLost: true },
];

const percent = (part: number, whole: number): string => (whole === 0 ? "" : `${((100 * part) / whole).toFixed(2)}%`);
const perThousand = (part: number, whole: number): string => ((1000 * part) / whole).toFixed(part > whole / 10 ? 0 : 2);
const write = (...cells: readonly (string | number)[]): void => void process.stdout.write(`| ${cells.join(" | ")} |\n`);

/** The least or the most that any seed has shown. */
const worst = (seen: readonly MonthSeen[], of: (one: MonthSeen) => number): number => Math.min(...seen.map(of));

write(
  "plan",
  "used",
  "servers reached in each region",
  "a region holds at most",
  "over",
  "usable, 20 servers die",
  "usable, 200 servers die",
  "usable, a region is lost, too",
  "served while cut off",
  "without a wait",
  "requests to the region per 1,000 calls",
  "requests from regions to home",
);
write("---", "---", "---:", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:");
for (const plan of PLANS) {
  const { callsPerMonth, requestsPerSecond } = plan;
  const paces = [
    { used: "at the full rate", pace: requestsPerSecond, seeds: [1, 2, 3] },
    { used: `in ${IN_DAYS} days`, pace: (callsPerMonth * 30) / IN_DAYS / MONTH_S, seeds: [1] },
  ];
  for (const { used, pace, seeds } of paces) {
    for (const serversReached of [100, 2]) {
      for (const { name, regionHolds } of HOLDS) {
        const common = { ...plan, regions: 10, serversPerRegion: 100, serversReached, pace, regionHolds, isCut: true };
        const seenBy: MonthSeen[][] = [];
        for (const faults of FAULTS) {
          const seen: MonthSeen[] = [];
          for (const seed of seeds) {
            seen.push(await simulateMonth({ ...common, ...faults, seed } satisfies MonthScenario));
          }
          seenBy.push(seen);
        }
        const [few = []] = seenBy;
        const sum = (of: (one: MonthSeen) => number): number => few.reduce((total, one) => total + of(one), 0);
        write(
          `${callsPerMonth.toLocaleString("en")} at ${requestsPerSecond}/s`,
          used,
          serversReached,
          name,
          Math.max(...seenBy.flat().map((one) => Math.max(0, one.used + one.forfeited - callsPerMonth))),
          ...seenBy.map((seen) =>
            percent(
              worst(seen, (one) => one.used),
              callsPerMonth,
            ),
          ),
          percent(
            worst(few, (one) => (one.cutCalls === 0 ? 1 : one.cutServed / one.cutCalls)),
            1,
          ),
          percent(
            sum((one) => one.calls - one.waited),
            sum((one) => one.calls),
          ),
          perThousand(
            sum((one) => one.toRegion),
            sum((one) => one.calls),
          ),
          perThousand(
            sum((one) => one.toHome),
            sum((one) => one.calls),
          ),
        );
      }
    }
  }
}

// Simulates a month of ten million keys on a thousand servers in ten regions: see leases/key-months.ts. A region is cut off from the home
// store for an hour, and 200 servers die. `npm run bench:leases-keys`, or with
// `-- --calls-per-second 30000 --servers-per-key 2 --one-of 50`.
import { parseArgs } from "node:util";
import { DEFAULT_CALLER_MEMORY } from "../src/config/caller-memory.ts";
import { guardLimitsOf } from "../src/guard/guard-limits.ts";
import { seeded } from "../src/sandbox/stand-ins/seeded.ts";
import { type Counts, type Fleet, KeyMonths, noCounts } from "./leases/key-months.ts";
import { evictionRoundS, paceOf, type Traffic } from "./leases/zipf.ts";

const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "10000000" },
    "calls-per-second": { type: "string", default: "30000" },
    "servers-per-key": { type: "string", default: "2" },
    // As QUINTET_LEASES_BYTES_MAX.
    "leases-bytes": { type: "string", default: String(DEFAULT_CALLER_MEMORY.leasesBytesMax) },
    seed: { type: "string", default: "1" },
    // Of the keys after the first 10,000, one of this many stands for the others.
    "one-of": { type: "string", default: "1" },
  },
});
const traffic: Traffic = { keys: Number(values.keys), callsPerSecond: Number(values["calls-per-second"]) };
const seed = Number(values.seed);
const oneOf = Number(values["one-of"]);
const EACH_KEY_TO = 10_000;

const REGIONS = 10;
const SERVERS = 100;
const MONTH_S = 30 * 86_400;
const CUT_S = 3600;
const DEATHS = 200;
// A region leases calls for an hour, a server for a minute.
const REGION_HOLDS = 60;
// A key with more calls in the month is simulated around the cut, after enough calls that its servers and regions know it.
const WHOLE_MONTH_CALLS = 20_000;
const AROUND_CUT_CALLS = 10_000;

const random = seeded(seed);
const cutFromS = MONTH_S * (0.2 + 0.3 * random());
const serversPerKey = Number(values["servers-per-key"]);
const callerMemory = { ...DEFAULT_CALLER_MEMORY, leasesBytesMax: Number(values["leases-bytes"]) };
const { subscriptionsMax } = guardLimitsOf({ database: {}, databaseWaitMs: 250, callerMemory, workers: 1 });
const fleet: Fleet = {
  regions: REGIONS,
  serversPerRegion: SERVERS,
  serversPerKey,
  evictionRoundS: evictionRoundS(traffic, subscriptionsMax, REGIONS * serversPerKey, REGIONS * SERVERS),
  cut: { region: Math.floor(random() * REGIONS), fromS: cutFromS, toS: cutFromS + CUT_S },
  deaths: Array.from({ length: DEATHS }, () => ({
    atS: random() * MONTH_S,
    server: Math.floor(random() * REGIONS * SERVERS),
  })).sort((one, other) => one.atS - other.atS),
};

const FIGURES = Object.keys(noCounts()) as (keyof Counts)[];
const months = new KeyMonths(fleet, seed);
const all = noCounts();

// Adds a key's month to `sum`, for `weight` keys: the counts of the first calls, and for the rest of the month those of the later ones.
function addKey(rank: number, weight: number, sum: Counts): void {
  const pace = paceOf(traffic, rank);
  const intervalS = 1 / pace;
  const callsInMonth = Math.max(1, Math.round(pace * MONTH_S));
  // Three times what the key needs, as a plan usually has.
  const callsPerMonth = Math.max(1000, Math.ceil(3 * pace * MONTH_S));
  const requestsPerSecond = Math.max(1, Math.ceil(2 * pace));
  const isWhole = callsInMonth <= WHOLE_MONTH_CALLS;
  const startS = isWhole ? random() * intervalS : Math.max(0, cutFromS - AROUND_CUT_CALLS * intervalS);
  const endS = isWhole ? MONTH_S : Math.min(MONTH_S, cutFromS + CUT_S + AROUND_CUT_CALLS * intervalS);
  const calls = Math.max(1, Math.floor((endS - startS) / intervalS));
  const first = noCounts();
  const later = noCounts();
  months.run(
    {
      ofServer: { callsPerMonth, requestsPerSecond },
      ofRegion: { callsPerMonth, requestsPerSecond: REGION_HOLDS * requestsPerSecond },
      startS,
      intervalS,
      calls,
    },
    isWhole ? calls : AROUND_CUT_CALLS,
    first,
    later,
  );
  const factor = isWhole ? 0 : (callsInMonth - first.calls) / later.calls;
  for (const figure of FIGURES) {
    const isCount = figure === "cutCalls" || figure === "cutServed" || figure === "over";
    sum[figure] += weight * (first[figure] + (isCount ? later[figure] : factor * later[figure]));
  }
}

const percent = (part: number, whole: number): string => (whole === 0 ? "" : `${((100 * part) / whole).toFixed(2)}%`);
const perThousand = (part: number, whole: number): string => ((1000 * part) / whole).toFixed(part > whole / 10 ? 0 : 2);
const write = (...cells: readonly (string | number)[]): void => void process.stdout.write(`| ${cells.join(" | ")} |\n`);
const rowOf = (name: string, counts: Counts): void =>
  write(
    name,
    percent(counts.calls, Math.max(counts.calls, traffic.callsPerSecond * MONTH_S)),
    counts.over,
    percent(counts.calls - counts.waited, counts.calls),
    percent(counts.waitedForHome, counts.calls),
    perThousand(counts.toRegion, counts.calls),
    perThousand(counts.toHome, counts.calls),
    percent(counts.forfeited, counts.calls),
    percent(counts.cutServed, counts.cutCalls),
  );

process.stdout.write(
  `${traffic.keys.toLocaleString("en")} keys, ${traffic.callsPerSecond.toLocaleString("en")} calls/s, ${serversPerKey} servers of each region for each key, ` +
    `${subscriptionsMax.toLocaleString("en")} leases on each server, seed ${seed}, one key of ${oneOf}; a server looks at all its leases in ` +
    `${Number.isFinite(fleet.evictionRoundS) ? `${Math.round(fleet.evictionRoundS)} s` : "no time, because it has room for all"}.\n\n`,
);
write(
  "rank of the keys",
  "their share of all calls",
  "over",
  "without a wait",
  "waited for home",
  "requests to the region per 1,000 calls",
  "requests from regions to home",
  "forfeited",
  "served while cut off",
);
write("---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:");
const startedMs = performance.now();
for (let first = 1; first < traffic.keys; first *= 10) {
  const end = first * 10 < traffic.keys ? first * 10 : traffic.keys + 1;
  const sum = noCounts();
  const step = first < EACH_KEY_TO ? 1 : oneOf;
  for (let rank = first; rank < end; rank += step) {
    addKey(Math.min(end - 1, rank + Math.floor(step / 2)), step, sum);
  }
  rowOf(`${first.toLocaleString("en")} to ${(end - 1).toLocaleString("en")}`, sum);
  for (const figure of FIGURES) {
    all[figure] += sum[figure];
  }
}
rowOf("all", all);
process.stdout.write(`\n${Math.round((performance.now() - startedMs) / 1000)} s\n`);

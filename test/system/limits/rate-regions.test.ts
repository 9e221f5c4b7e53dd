// The rate of callers whom servers in ten regions serve, with one Redis at home that the others reach in 80 ms. The servers run the
// guard's own code in simulated time. A region is cut off for a while, and servers die, at times drawn from a seed. Prints a table.
// QUINTET_RATE_SEEDS says how many seeds are tried, QUINTET_RATE_SERVERS how many servers there are in each region, and
// QUINTET_RATE_REACHED how many of them a caller's calls reach.
import { afterAll, expect, test } from "vitest";
import type { RateTake } from "../../../src/guard/rate/bucket.ts";
import { ONE_PART } from "../../../src/guard/rate/redis/redis-keys.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { redis } from "../../fixtures/servers/redis.ts";
import { sharedRedis } from "../../fixtures/servers/redis-client.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { type SimulatedNode, Simulation } from "../../guard/rate/simulated-nodes.ts";
import { type AdmittedCall, worstWindowPercent } from "./worst-window.ts";

const REGIONS = 10;
const SERVERS = Number(process.env.QUINTET_RATE_SERVERS ?? 2);
const REACHED = Number(process.env.QUINTET_RATE_REACHED ?? SERVERS);
const SEEDS = Array.from({ length: Number(process.env.QUINTET_RATE_SEEDS ?? 1) }, (_, index) => index + 1);
const [IN_REGION_MS, TO_HOME_MS] = [1, 80];
const RUN_MS = 30_000;
const CUT_MS = 6000;
const DEATHS = 2;
// Nothing fails before the parts of the servers follow use.
const SETTLED_MS = 12_000;

/** A caller: its plan's rate, the part of it that it uses, and in how many regions its calls arrive. */
interface Caller {
  readonly rate: number;
  readonly pace: number;
  readonly regions: number;
}

const CALLERS: readonly Caller[] = [
  { rate: 20, pace: 0.95, regions: 1 },
  { rate: 20, pace: 2, regions: REGIONS },
  { rate: 100, pace: 0.95, regions: 1 },
  { rate: 1000, pace: 0.5, regions: REGIONS },
  { rate: 1000, pace: 0.95, regions: REGIONS },
  { rate: 1000, pace: 2, regions: REGIONS },
];
const nameOf = ({ rate, pace, regions }: Caller): string => `${rate}/s at ${100 * pace} %, in ${regions}`;

/** What a caller experienced in the other regions, and in the one that is cut off. */
interface Experience {
  calls: number;
  waits: number;
  refused: number;
  cutCalls: number;
  cutServed: number;
  readonly admitted: AdmittedCall[];
}

interface Server {
  readonly node: SimulatedNode;
  readonly region: number;
  isDead: boolean;
}

/** All callers call for the time of a run, while a region is cut off and servers die. */
async function simulate(simulation: Simulation, seed: number): Promise<readonly Experience[]> {
  await simulation.remember();
  const random = seeded(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const servers = Array.from({ length: REGIONS * SERVERS }, (_, index): Server => {
    const node = simulation.addNode(`node ${index}`, CALLERS.length, () => REGIONS * SERVERS);
    const region = index % REGIONS;
    node.link.oneWayMs = () => (region === 0 ? IN_REGION_MS : TO_HOME_MS) / 2;
    return { node, region, isDead: false };
  });
  const reached = servers.slice(0, REGIONS * REACHED);
  await simulation.start();
  const cutRegion = below(REGIONS);
  const disconnectAtMs = SETTLED_MS + below(RUN_MS - SETTLED_MS - CUT_MS);
  const deathsAtMs = Array.from({ length: DEATHS }, () => SETTLED_MS + below(RUN_MS - SETTLED_MS));
  const experiences = CALLERS.map((): Experience => ({ calls: 0, waits: 0, refused: 0, cutCalls: 0, cutServed: 0, admitted: [] }));
  const callOnce = (index: number, isCut: boolean): void => {
    const caller = CALLERS[index] as Caller;
    const experience = experiences[index] as Experience;
    const alive = reached.filter(({ region, isDead }) => !isDead && (region - cutRegion + REGIONS) % REGIONS < caller.regions);
    const { node, region } = alive[below(alive.length)] as Server;
    const isInCut = isCut && region === cutRegion;
    const startMs = simulation.nowMs;
    const end = ({ taken }: RateTake): void => {
      experience.refused += taken || isInCut ? 0 : 1;
      experience.cutServed += taken && isInCut ? 1 : 0;
      if (taken) {
        experience.admitted.push({ startMs, endMs: simulation.nowMs });
      }
    };
    experience.calls += 1;
    experience.cutCalls += isInCut ? 1 : 0;
    const take = node.take(index, caller.rate, nameOf(caller));
    if (take instanceof Promise) {
      experience.waits += 1;
      void take.then(end);
    } else {
      end(take);
    }
  };
  for (let elapsedMs = 0; elapsedMs < RUN_MS; elapsedMs++) {
    const isCut = elapsedMs >= disconnectAtMs && elapsedMs < disconnectAtMs + CUT_MS;
    for (const server of servers) {
      server.node.link.isCut = server.isDead || (isCut && server.region === cutRegion);
    }
    if (deathsAtMs.includes(elapsedMs)) {
      (servers[below(servers.length)] as Server).isDead = true;
    }
    for (const [index, { rate, pace }] of CALLERS.entries()) {
      while ((experiences[index] as Experience).calls < (rate * pace * elapsedMs) / 1000) {
        callOnce(index, isCut);
      }
    }
    await simulation.step();
  }
  return experiences;
}

const percent = (part: number, whole: number): string => (whole === 0 ? "" : ((100 * part) / whole).toFixed(2));
const rows: string[] = [];

describeWith(redis, "Servers in ten regions with one Redis", () => {
  const client = sharedRedis();
  afterAll(() => {
    process.stdout.write(
      `| caller, regions | seed | worst window % | refused elsewhere % | without a wait % | served while cut off % | scripts a call |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n${rows.join("\n")}\n`,
    );
  });

  test.each(SEEDS)("keep the rate while a region is cut off and servers die: seed %i", async (seed) => {
    const simulation = new Simulation({ sendCommand: (command) => client().sendCommand(command) }, `regions ${seed}:`);
    const experiences = await simulate(simulation, seed);
    for (const [index, { calls, waits, refused, cutCalls, cutServed, admitted }] of experiences.entries()) {
      const caller = CALLERS[index] as Caller;
      const worst = worstWindowPercent(admitted, caller.rate);
      const scripts = (simulation.scriptsByBucket.get(ONE_PART[0]?.bucket(nameOf(caller)) ?? "") ?? 0) / calls;
      const figures = [
        percent(refused, calls - cutCalls),
        percent(calls - waits, calls),
        percent(cutServed, cutCalls),
        scripts.toFixed(2),
      ];
      rows.push(`| ${nameOf(caller)} | ${seed} | ${worst.toFixed(1)} | ${figures.join(" | ")} |`);
      expect.soft(worst, nameOf(caller)).toBeLessThanOrEqual(110);
      if (caller.pace <= 0.5) {
        expect.soft(refused, nameOf(caller)).toBeLessThanOrEqual((calls - cutCalls) / 100);
      }
    }
  });
});

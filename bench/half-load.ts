// Measures the latency of calls at half of a contender's maximum load.
import type { Contender } from "./contender.ts";
import { load, type Round } from "./load.ts";
import { median } from "./table.ts";
import type { Workload } from "./workloads.ts";

/** How long calls took, in milliseconds: the medians of the rounds' percentiles. */
export interface HalfLoad {
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

const SECONDS = 1;

/** Measures contenders in turn. `fullPerSecond` has the calls that each completes per second at its maximum load. */
export async function measureHalfLoad<Name>(
  contenders: ReadonlyMap<Name, Contender>,
  workload: Workload,
  roundCount: number,
  fullPerSecond: (name: Name) => number,
): Promise<ReadonlyMap<Name, HalfLoad>> {
  const rounds = new Map<Name, Round[]>([...contenders.keys()].map((name) => [name, []]));
  const rateOf = (name: Name): number => Math.round(fullPerSecond(name) / 2);
  for (let round = 0; round < roundCount; round += 1) {
    for (const [name, contender] of contenders) {
      rounds.get(name)?.push(await load(contender, workload, SECONDS, { callsPerSecond: rateOf(name) }));
    }
  }
  return new Map(
    [...rounds].map(([name, taken]) => {
      const over = (figure: (round: Round) => number): number => median(taken.map(figure));
      return [
        name,
        {
          callsPerSecond: rateOf(name),
          p50Ms: over(({ p50Ms }) => p50Ms),
          p99Ms: over(({ p99Ms }) => p99Ms),
          p999Ms: over(({ p999Ms }) => p999Ms),
        },
      ];
    }),
  );
}

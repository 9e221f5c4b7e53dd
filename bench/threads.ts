// What a second thread that serves is worth: ours with one and with two, in turn, where the server and the load share two cores.
import { type Contender, startContender } from "./contender.ts";
import { load, type Round } from "./load.ts";
import type { Workload } from "./workloads.ts";

/** The rounds of one workload, by the number of threads. */
export interface ThreadResult {
  readonly workload: string;
  readonly rounds: ReadonlyMap<number, readonly Round[]>;
}

const CORES = "0,1";
const MEASURED: ReadonlySet<string> = new Set(["gRPC score", "REST score"]);
const SHAPE = { cores: CORES, connections: 32, streams: 4 };

/** Measures those of the workloads that are worth it. */
export async function measureThreads(
  workloads: readonly Workload[],
  { directory, roundCount, seconds }: { directory: readonly string[]; roundCount: number; seconds: number },
): Promise<readonly ThreadResult[]> {
  const measured = workloads.filter(({ name }) => MEASURED.has(name));
  const contenders = new Map<number, Contender>();
  for (const threads of measured.length === 0 ? [] : [1, 2]) {
    contenders.set(threads, await startContender("quintet", { cores: CORES, more: [...directory, "--threads", String(threads)] }));
  }
  const results: ThreadResult[] = [];
  for (const workload of measured) {
    const rounds = new Map<number, Round[]>();
    for (const [threads, contender] of contenders) {
      await load(contender, workload, 2, SHAPE);
      rounds.set(threads, []);
    }
    for (let round = 0; round < roundCount; round += 1) {
      for (const [threads, contender] of contenders) {
        rounds.get(threads)?.push(await load(contender, workload, seconds, SHAPE));
      }
    }
    results.push({ workload: workload.name, rounds });
    process.stderr.write(`${workload.name}, threads, done\n`);
  }
  for (const contender of contenders.values()) {
    await contender.stop();
  }
  return results;
}

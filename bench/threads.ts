// Measures whether a call costs more with more threads: runs ours with 1, 2, 4, 8 and 16 threads in turn, up to the number of cores.
import { cpus } from "node:os";
import { type Contender, startContender } from "./contender.ts";
import { load, type Round } from "./load.ts";
import type { Workload } from "./workloads.ts";

/** The rounds of one workload, by the number of threads. */
export interface ThreadResult {
  readonly workload: string;
  readonly rounds: ReadonlyMap<number, readonly Round[]>;
}

/** The cores for a number of threads on this machine, or why they cannot be measured. */
export interface Layout {
  readonly threads: number;
  /** The cores of the server, and those that call. They overlap if there are too few. */
  readonly serverCores: readonly number[];
  readonly loadCores: readonly number[];
}

const THREADS = [1, 2, 4, 8, 16];
const MEASURED: ReadonlySet<string> = new Set(["gRPC score", "REST score"]);
/** Per thread; the kernel distributes them. */
const CONNECTIONS_PER_THREAD = 32;
const STREAMS = 4;

const range = (from: number, until: number): readonly number[] => Array.from({ length: until - from }, (_, index) => from + index);

/** Each thread has a core, and the rest make calls. Two cores are shared by all, so that one thread and two have the same conditions. */
export function layoutsFor(cores: number): readonly Layout[] {
  if (cores <= 2) {
    return THREADS.slice(0, 2).map((threads) => ({ threads, serverCores: range(0, cores), loadCores: range(0, cores) }));
  }
  return THREADS.filter((threads) => threads <= Math.max(2, cores / 2)).map((threads) => ({
    threads,
    serverCores: range(0, threads),
    loadCores: range(threads, cores),
  }));
}

/** Measures the workloads for which this is useful. */
export async function measureThreads(
  workloads: readonly Workload[],
  { directory, roundCount, seconds }: { directory: readonly string[]; roundCount: number; seconds: number },
): Promise<readonly ThreadResult[]> {
  const measured = workloads.filter(({ name }) => MEASURED.has(name));
  const layouts = measured.length === 0 ? [] : layoutsFor(cpus().length);
  const contenders = new Map<Layout, Contender>();
  for (const layout of layouts) {
    const more = [...directory, "--threads", String(layout.threads)];
    contenders.set(layout, await startContender("quintet", { cores: layout.serverCores.join(), more }));
  }
  const results: ThreadResult[] = [];
  for (const workload of measured) {
    const rounds = new Map<number, Round[]>(layouts.map(({ threads }) => [threads, []]));
    for (const [{ loadCores }, contender] of contenders) {
      await load(contender, workload, 3, { cores: loadCores });
    }
    for (let round = 0; round < roundCount; round += 1) {
      for (const [{ threads, loadCores }, contender] of contenders) {
        const shape = {
          cores: loadCores,
          connections: CONNECTIONS_PER_THREAD * threads,
          streams: workload.protocol === "rest" ? 1 : STREAMS,
        };
        rounds.get(threads)?.push(await load(contender, workload, seconds, shape));
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

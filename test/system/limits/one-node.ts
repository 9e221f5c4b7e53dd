// Runs on one node with the embedded database: after a kill it is started again on the same data.
import { systemClock } from "../../../src/runtime/clock.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { type FaultKind, planFaults } from "./faults.ts";
import type { Result } from "./result.ts";
import { run } from "./run.ts";

/** The faults that it can have. */
export const ONE_NODE_FAULTS: readonly FaultKind[] = ["node killed", "worker killed", "calls cut", "clock stepped", "month turned"];

/** Runs one. */
export function runOneNode(seed: number): Promise<Result> {
  const random = seeded(seed);
  const faults = planFaults(random, ONE_NODE_FAULTS, seed);
  const needsThreads = faults.some(({ kind }) => kind === "worker killed");
  return run({
    seed,
    random,
    faults,
    nodes: [needsThreads || random() < 0.3 ? 2 : 1],
    store: (directory) => ({ options: { dataDir: directory, clock: systemClock }, variables: { QUINTET_DATA_DIR: directory } }),
  });
}

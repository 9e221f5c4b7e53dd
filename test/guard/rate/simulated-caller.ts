// A caller of several nodes that share a bucket in a real Redis, in simulated time: see simulated-nodes.ts.
import type { RateTake } from "../../../src/guard/rate/bucket.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { type AdmittedCall, worstWindowPercent } from "../../system/limits/worst-window.ts";
import { type Link, Simulation } from "./simulated-nodes.ts";

const RUN_MS = 14_000;

/** What a fault can change. */
export interface Scene {
  readonly simulation: Simulation;
  readonly links: readonly Link[];
  readonly random: () => number;
}

/** What happens, by milliseconds since the start. */
export type Fault = (scene: Scene, elapsedMs: number) => void | Promise<void>;

/** Whether the time is within `durationMs` from `fromMs` on. */
export const isDuring = (elapsedMs: number, durationMs: number, fromMs: number): boolean =>
  elapsedMs >= fromMs && elapsedMs < fromMs + durationMs;

/** How the caller calls. */
export interface CallerOptions {
  readonly nodes: number;
  /** The plan's rate. */
  readonly rate: number;
  /** The part of the rate that it uses, by milliseconds since the start. */
  readonly pace: (elapsedMs: number) => number;
  readonly fault: Fault;
  readonly seed: number;
  /** How long it calls; 14 s by default. */
  readonly runMs?: number;
  /** Whether it calls only one node, instead of all at random. */
  readonly isOnOneNode?: boolean;
}

/** What the caller experienced. */
export interface Experience {
  readonly refusedPercent: number;
  readonly worstPercent: number;
  readonly waitedPercent: number;
  readonly scriptsPerCall: number;
}

/** Calls nodes that share the empty Redis to which `sendCommand` sends. */
export async function callNodes(
  sendCommand: (command: string[]) => Promise<unknown>,
  { nodes: nodeCount, rate, pace, fault, seed, runMs = RUN_MS, isOnOneNode = false }: CallerOptions,
): Promise<Experience> {
  await sendCommand(["FLUSHALL"]);
  const simulation = new Simulation({ sendCommand }, "");
  await simulation.remember();
  const nodes = Array.from({ length: nodeCount }, (_, node) => simulation.addNode(`node ${node}`, 1, () => nodeCount));
  await simulation.start();
  const random = seeded(seed);
  const scene = { simulation, links: nodes.map(({ link }) => link), random: seeded(seed + 1) };
  const admitted: AdmittedCall[] = [];
  const counts = { calls: 0, waited: 0, refused: 0 };
  const end = (startMs: number, { taken }: RateTake): void => {
    counts.refused += taken ? 0 : 1;
    if (taken) {
      admitted.push({ startMs, endMs: simulation.nowMs });
    }
  };
  for (let elapsedMs = 0, due = 0; elapsedMs < runMs; elapsedMs++, due += (rate * pace(elapsedMs)) / 1000) {
    await fault(scene, elapsedMs);
    for (; counts.calls < due; counts.calls++) {
      const startMs = simulation.nowMs;
      const take = nodes[isOnOneNode ? 0 : Math.floor(random() * nodeCount)]?.take(0, rate, "account/radio");
      if (take instanceof Promise) {
        counts.waited++;
        void take.then((later) => end(startMs, later));
      } else if (take !== undefined) {
        end(startMs, take);
      }
    }
    await simulation.step();
  }
  return {
    refusedPercent: (100 * counts.refused) / counts.calls,
    worstPercent: worstWindowPercent(admitted, rate),
    waitedPercent: (100 * counts.waited) / counts.calls,
    scriptsPerCall: simulation.scripts / counts.calls,
  };
}

// The faults of a run, generated from its seed: which, when, for how long and where. The first fault rotates with the seed, so that as many
// seeds as there are faults cover all of them.
import { pick, type Random } from "./callers.ts";

/** Everything that can be done to several nodes. */
export const FAULTS = [
  "node killed",
  "worker killed",
  "node joins",
  "database stopped",
  "database paused",
  "lease cut",
  "Redis stopped",
  "Redis paused",
  "calls cut",
  "clock stepped",
  "month turned",
] as const;

/** One of them. */
export type FaultKind = (typeof FAULTS)[number];

/** One fault of a plan. */
export interface Fault {
  readonly kind: FaultKind;
  /** Time since the start of the run. */
  readonly atMs: number;
  /** How long it lasts; 0 if it is instantaneous. */
  readonly durationMs: number;
  /** From 0 to 1: selects the node and the variant. */
  readonly choice: number;
}

/** How long faults are injected. */
export const CHAOS_MS = 2800;

const DURATIONS: Partial<Record<FaultKind, { readonly min: number; readonly max: number }>> = {
  "database stopped": { min: 100, max: 900 },
  "database paused": { min: 100, max: 1200 },
  "Redis stopped": { min: 50, max: 900 },
  "Redis paused": { min: 20, max: 900 },
};

/** Picks one to four faults of these kinds at random. `index` is the run's number. */
export function planFaults(random: Random, from: readonly FaultKind[], index: number): readonly Fault[] {
  const first = from[index % from.length] as FaultKind;
  const others = Array.from({ length: Math.floor(random() * 4) }, () => pick(random, from));
  // A month turns once.
  const kinds = [first, ...others].filter((kind, at, all) => kind !== "month turned" || all.indexOf(kind) === at);
  return kinds
    .map((kind) => {
      const { min, max } = DURATIONS[kind] ?? { min: 0, max: 0 };
      return { kind, atMs: 200 + random() * (CHAOS_MS - 800), durationMs: min + random() * (max - min), choice: random() };
    })
    .toSorted((a, b) => a.atMs - b.atMs);
}

// Combines the four indicators into a score, a word for the score, and a measure of how much the indicators agree. Pure.
import { CycleRead } from "../../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import type { Zone } from "./zone.ts";

export interface FourZones {
  readonly mayer: Zone;
  readonly puell: Zone;
  readonly nvt: Zone;
  readonly s2f: Zone;
}

/** The aggregate read. */
export interface Cycle {
  readonly read: CycleRead;
  /** 0 to 100, rounded to one decimal. */
  readonly score: number;
  /** The share of the four indicators that are in the most common zone: 0.5, 0.75 or 1. */
  readonly agreement: number;
}

// Ratios are compared by logarithm: twice as much is as far away as half as much. A percentile is already linear.
const logarithmic = (value: number): number => Math.log(value);
const linear = (value: number): number => value;

// Stock-to-Flow's model has overshot for years, so it has half the weight.
const WEIGHTED_ZONES = [
  { indicator: "mayer", weight: 2, scale: logarithmic },
  { indicator: "puell", weight: 2, scale: logarithmic },
  { indicator: "nvt", weight: 2, scale: linear },
  { indicator: "s2f", weight: 1, scale: logarithmic },
] as const;

const CYCLE_READS = [CycleRead.DEEP_VALUE, CycleRead.VALUE, CycleRead.NEUTRAL, CycleRead.RICH, CycleRead.EUPHORIA] as const;

/** Combines four zones. Their values are above 0. */
export function cycleOf(zones: FourZones): Cycle {
  let sum = 0;
  let weights = 0;
  const counts = new Map<Zone["name"], number>();
  for (const { indicator, weight, scale } of WEIGHTED_ZONES) {
    const zone = zones[indicator];
    sum += weight * positionOf(zone, scale);
    weights += weight;
    counts.set(zone.name, (counts.get(zone.name) ?? 0) + 1);
  }
  const score = Math.round((10 * sum) / weights) / 10;
  // The word is chosen by the rounded score, so that the two never contradict each other.
  const read = CYCLE_READS[Math.min(Math.floor(score / 20), CYCLE_READS.length - 1)] ?? CycleRead.NEUTRAL;
  return { read, score, agreement: Math.max(...counts.values()) / WEIGHTED_ZONES.length };
}

/** 0 at or under the lower threshold, 100 at or over the upper one. */
function positionOf({ value, undervaluedBelow, overvaluedAbove }: Zone, scale: (value: number) => number): number {
  const bottom = scale(undervaluedBelow);
  const share = (scale(value) - bottom) / (scale(overvaluedAbove) - bottom);
  return 100 * Math.min(1, Math.max(0, share));
}

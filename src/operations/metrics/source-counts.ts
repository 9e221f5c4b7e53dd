// Reads from the workers' memory how many requests to the sources of services had a usable response, and how long they took.
import type { ServiceName } from "../../catalogue/service-names.ts";
import { cellsPerSeries } from "./family.ts";
import { ATTEMPT_OUTCOMES, type MetricsMemory, planLayout, UPSTREAMS } from "./worker-metrics.ts";

/** Counts of one service's source since the start. */
export interface SourceCounts {
  /** Requests that were sent. */
  readonly sent: number;
  /** Requests that got no usable response. */
  readonly failed: number;
  /** How many requests fall into each bucket of `quintet_upstream_attempt_duration_seconds`. */
  readonly latency: readonly number[];
}

const SUCCEEDED: readonly string[] = ["ok", "unchanged"];
const NOT_SENT: readonly string[] = ["busy", "throttled"];

/** The counts of each service that has a source, over all workers. */
export function sourceCounts(metrics: readonly MetricsMemory[]): ReadonlyMap<ServiceName, SourceCounts> {
  const { at } = planLayout(metrics[0]?.methods ?? []);
  const sum = (cell: number): number => metrics.reduce((total, { cells }) => total + (cells[cell] as number), 0);
  const { family, offset } = at.attemptDuration;
  return new Map(
    UPSTREAMS.map((service, place) => {
      const ended = ATTEMPT_OUTCOMES.map((outcome, index) => ({
        outcome,
        count: sum(at.attempts.offset + place * ATTEMPT_OUTCOMES.length + index),
      })).filter(({ outcome }) => !NOT_SENT.includes(outcome));
      const total = (counts: typeof ended): number => counts.reduce((all, { count }) => all + count, 0);
      const latency = Array.from({ length: family.bounds.length + 1 }, (_, bucket) =>
        sum(offset + place * cellsPerSeries(family) + bucket),
      );
      const failed = total(ended.filter(({ outcome }) => !SUCCEEDED.includes(outcome)));
      return [service, { sent: total(ended), failed, latency }] as const;
    }),
  );
}

// Counts calls that are missing from the history of usage or of refusals in a worker's memory, and reads how many there were.
import type { CountedHistory } from "../../guard/thread-guard.ts";
import { HISTORIES, type MetricsMemory, planLayout } from "./worker-metrics.ts";

const cellOf = (methods: readonly string[], history: CountedHistory): number =>
  planLayout(methods).at.notCounted.offset + HISTORIES.indexOf(history);

/** Counts them in the memory of one worker. */
export function createNotCountedRecorder({ methods, cells }: MetricsMemory): (history: CountedHistory, calls: number) => void {
  const places = { usage: cellOf(methods, "usage"), refusals: cellOf(methods, "refusals") };
  return (history, calls) => {
    (cells[places[history]] as number) += calls;
  };
}

/** How many calls are missing from a history since the start, over all workers. */
export function callsNotCounted(metrics: readonly MetricsMemory[], history: CountedHistory): number {
  const cell = cellOf(metrics[0]?.methods ?? [], history);
  return metrics.reduce((total, { cells }) => total + (cells[cell] as number), 0);
}

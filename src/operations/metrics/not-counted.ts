// Counts, in a worker's memory, the calls that are missing from the history of usage or of refusals, and reads these counts.
import type { CountedHistory } from "../../guard/thread-guard.ts";
import { HISTORIES, type MetricsMemory, planLayout } from "./worker-metrics.ts";

const cellIndexOf = (methods: readonly string[], history: CountedHistory): number =>
  planLayout(methods).at.notCounted.offset + HISTORIES.indexOf(history);

/** Creates a function that counts missing calls in the memory of one worker. */
export function createNotCountedRecorder({ methods, cells }: MetricsMemory): (history: CountedHistory, calls: number) => void {
  const cellIndexes = { usage: cellIndexOf(methods, "usage"), refusals: cellIndexOf(methods, "refusals") };
  return (history, calls) => {
    (cells[cellIndexes[history]] as number) += calls;
  };
}

/** How many calls are missing from a history since the start, over all workers. */
export function callsNotCounted(metrics: readonly MetricsMemory[], history: CountedHistory): number {
  const index = cellIndexOf(metrics[0]?.methods ?? [], history);
  return metrics.reduce((total, { cells }) => total + (cells[index] as number), 0);
}

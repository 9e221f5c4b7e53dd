// All that a scrape gets: what the workers have counted, added up, and what the main thread knows.
import { writeWorkers } from "./exposition.ts";
import { type ProcessMetricsSources, writeProcessMetrics } from "./process-metrics.ts";
import { type MetricsMemory, planLayout } from "./worker-metrics.ts";

/** Makes the function that writes the text of all metrics. */
export function metricsWriter(workers: readonly MetricsMemory[], sources: ProcessMetricsSources): () => string {
  const layout = planLayout(workers[0]?.methods ?? []);
  const memories = workers.map(({ cells }) => cells);
  return () => writeWorkers(layout, memories) + writeProcessMetrics(sources);
}

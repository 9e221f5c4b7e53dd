// The whole response to a scrape: the workers' counts, added up, and the main thread's own metrics.
import { writeWorkers } from "./exposition.ts";
import { type ProcessMetricsOptions, writeProcessMetrics } from "./process-metrics.ts";
import { type MetricsMemory, planLayout } from "./worker-metrics.ts";

export function metricsWriter(workers: readonly MetricsMemory[], sources: ProcessMetricsOptions): () => string {
  const layout = planLayout(workers[0]?.methods ?? []);
  const memories = workers.map(({ cells }) => cells);
  return () => writeWorkers(layout, memories) + writeProcessMetrics(sources);
}

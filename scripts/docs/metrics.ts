// The table of metrics in docs/operate/monitoring.md, made from what the server exposes.
import type { Family } from "../../src/operations/metrics/family.ts";
import { PROCESS_FAMILIES } from "../../src/operations/metrics/process-metrics.ts";
import { type MetricLayout, planLayout } from "../../src/operations/metrics/worker-metrics.ts";
import { code, table } from "./markdown.ts";

/** Every metric, in the order in which it is exposed. */
export function metricsTable(): string {
  const counted = Object.values<MetricLayout>(planLayout([]).at).map(({ family }): Family => family);
  const rows = [...counted, ...PROCESS_FAMILIES].map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(", "),
    help,
  ]);
  return table(["metric", "type", "labels", "meaning"], rows);
}

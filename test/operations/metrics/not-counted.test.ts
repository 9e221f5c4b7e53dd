import { expect, test } from "vitest";
import { writeWorkers } from "../../../src/operations/metrics/exposition.ts";
import { callsNotCounted, createNotCountedRecorder } from "../../../src/operations/metrics/not-counted.ts";
import { createMetricsMemory, planLayout } from "../../../src/operations/metrics/worker-metrics.ts";

test("calls whose counts are dropped are added up over all workers, for operators and for a scrape", () => {
  const methods = ["quintet.farkle.v1.FarkleService/Score"];
  const metrics = [createMetricsMemory(methods), createMetricsMemory(methods)];
  const [first, second] = metrics.map(createNotCountedRecorder);
  first?.("usage", 3);
  first?.("usage", 4);
  first?.("refusals", 1);
  second?.("usage", 20);
  expect([callsNotCounted(metrics, "usage"), callsNotCounted(metrics, "refusals")]).toEqual([27, 1]);
  const cells = metrics.map((memory) => memory.cells);
  const lines = writeWorkers(planLayout(methods), cells).split("\n");
  expect(lines.filter((line) => line.startsWith("quintet_calls_not_counted_total"))).toEqual([
    'quintet_calls_not_counted_total{history="usage"} 27',
    'quintet_calls_not_counted_total{history="refusals"} 1',
  ]);
});

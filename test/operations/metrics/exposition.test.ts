import { expect, test } from "vitest";
import { writeSamples, writeWorkers } from "../../../src/operations/metrics/exposition.ts";
import { axisOf, cellFamily } from "../../../src/operations/metrics/family.ts";
import { observe } from "../../../src/operations/metrics/histogram.ts";
import type { WorkerLayout } from "../../../src/operations/metrics/worker-metrics.ts";

const layoutOf = (...families: readonly ReturnType<typeof cellFamily>[]): WorkerLayout =>
  // The writer accepts any families.
  ({ at: Object.fromEntries(families.map((family, index) => [index, { family, offset: index * 8 }])) }) as unknown as WorkerLayout;

test("a histogram's buckets count every value up to their bound", () => {
  const family = cellFamily("histogram", "took_seconds", "How long it took.", { bounds: [0.1, 1] });
  const cells = new Float64Array(8);
  for (const value of [0.05, 0.1, 0.5, 7]) {
    observe(cells, 0, family.bounds, value);
  }
  expect(writeWorkers(layoutOf(family), [cells])).toBe(
    [
      "# HELP took_seconds How long it took.",
      "# TYPE took_seconds histogram",
      'took_seconds_bucket{le="0.1"} 2',
      'took_seconds_bucket{le="1"} 3',
      'took_seconds_bucket{le="+Inf"} 4',
      "took_seconds_sum 7.65",
      "took_seconds_count 4",
      "",
    ].join("\n"),
  );
});

test("workers are added up, except for metrics of a thread", () => {
  const axes = [axisOf("color", ["red", "blue"]), axisOf("size", ["small", "large"])];
  const all = cellFamily("counter", "things_total", "Things.", { axes, showsZeros: false });
  const own = cellFamily("gauge", "heap_bytes", "The heap.", { perThread: true });
  const cells = [0, 1].map((worker) => {
    const memory = new Float64Array(16);
    memory[2] = 3 + worker;
    memory[8] = 100 + worker;
    return memory;
  });
  expect(writeWorkers(layoutOf(all, own), cells)).toBe(
    [
      "# HELP things_total Things.",
      "# TYPE things_total counter",
      'things_total{color="blue",size="small"} 7',
      "# HELP heap_bytes The heap.",
      "# TYPE heap_bytes gauge",
      'heap_bytes{thread="0"} 100',
      'heap_bytes{thread="1"} 101',
      "",
    ].join("\n"),
  );
});

test("label values and help texts are escaped", () => {
  const family = { name: "x", type: "gauge", help: "One\\two\nthree", labels: ["a"] } as const;
  expect(writeSamples(family, [{ labels: { a: 'q"uote\\back\nline' }, value: Number.POSITIVE_INFINITY }])).toBe(
    '# HELP x One\\\\two\\nthree\n# TYPE x gauge\nx{a="q\\"uote\\\\back\\nline"} +Inf\n',
  );
});

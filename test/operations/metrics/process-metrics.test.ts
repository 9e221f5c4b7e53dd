// What the metrics say about the process itself.
import { closeSync, openSync } from "node:fs";
import { expect, test } from "vitest";
import { PROCESS_FAMILIES, type ProcessMetricsOptions } from "../../../src/operations/metrics/process-metrics.ts";

const sampled = (name: string): number | undefined =>
  PROCESS_FAMILIES.find((family) => family.name === name)?.read({} as ProcessMetricsOptions)[0]?.value;

test.runIf(process.platform === "linux")("open file descriptors are counted", () => {
  const before = sampled("process_open_fds") ?? 0;
  const opened = Array.from({ length: 100 }, () => openSync("/dev/null", "r"));
  const added = (sampled("process_open_fds") ?? 0) - before;
  for (const each of opened) {
    closeSync(each);
  }
  // The test runner may open or close some at the same time.
  expect(before).toBeGreaterThan(2);
  expect(Math.abs(added - 100)).toBeLessThan(20);
});

import { expect, onTestFinished, test } from "vitest";
import { watchThread } from "../../../src/operations/metrics/thread-sampler.ts";
import { createMetricsMemory, planLayout } from "../../../src/operations/metrics/worker-metrics.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const { at } = planLayout([]);
const NO_CONNECTIONS = { unknown: 0, http1: 0, http2: 0, accepted: 0, rejected: 0, evicted: 0 };

test("a late timer is counted by its delay", () => {
  const manual = createManualClock({ nowMs: 0 });
  let lateMs = 0;
  const clock = { ...manual, monotonicMs: () => manual.monotonicMs() + lateMs };
  const memory = createMetricsMemory([]);
  onTestFinished(watchThread({ memory, clock, connections: () => NO_CONNECTIONS }));
  manual.advance(20);
  lateMs = 30;
  manual.advance(20);
  const { offset, family } = at.eventLoopDelay;
  const cells = [...memory.cells.subarray(offset, offset + family.bounds.length + 2)];
  expect(cells).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0.03]);
});

test("connections are counted on top of what the previous thread had counted", () => {
  const clock = createManualClock({ nowMs: 0 });
  const memory = createMetricsMemory([]);
  memory.cells[at.accepted.offset] = 10;
  memory.cells[at.rejected.offset] = 2;
  const connections = { unknown: 1, http1: 2, http2: 3, accepted: 7, rejected: 1, evicted: 0 };
  onTestFinished(watchThread({ memory, clock, connections: () => connections }));
  clock.advance(20);
  const { offset } = at.connections;
  expect([...memory.cells.subarray(offset, offset + 5)]).toEqual([1, 2, 3, 17, 3]);
});

test("nothing is sampled after the stop", () => {
  const clock = createManualClock({ nowMs: 0 });
  const stop = watchThread({ memory: createMetricsMemory([]), clock, connections: () => NO_CONNECTIONS });
  stop();
  expect(clock.pending).toBe(0);
});

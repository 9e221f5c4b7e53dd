// Watches the thread that it runs in: how late timers are, how busy the event loop is, how long garbage collections take, and how many
// connections are open. Values that are expensive to read are read once a second.
import { constants, type PerformanceEntry, PerformanceObserver, performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { ConnectionCounts } from "@quintet/http";
import type { Clock } from "../../runtime/clock.ts";
import { cellsPerSeries } from "./family.ts";
import { observe } from "./histogram.ts";
import { GC_KINDS, type MetricsMemory, planLayout } from "./worker-metrics.ts";

const SAMPLE_INTERVAL_MS = 20;
const SAMPLES_PER_CHECK = 50;

const KINDS: ReadonlyMap<number, (typeof GC_KINDS)[number]> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

interface ThreadSamplerOptions {
  readonly memory: MetricsMemory;
  readonly clock: Clock;
  readonly connections: () => ConnectionCounts;
}

/** Starts watching. Returns a function that stops it. */
export function watchThread({ memory: { methods, cells }, clock, connections }: ThreadSamplerOptions): () => void {
  const { at } = planLayout(methods);
  const { bounds: delayBounds } = at.eventLoopDelay.family;
  const activeBeforeMs = performance.eventLoopUtilization().active;
  const activeBefore = cells[at.eventLoopActive.offset] as number;
  const acceptedBefore = cells[at.accepted.offset] as number;
  const rejectedBefore = cells[at.rejected.offset] as number;
  const evictedBefore = cells[at.evicted.offset] as number;
  let samples = 0;
  let dueMs = 0;
  let cancel = (): void => {};

  const check = (): void => {
    cells[at.eventLoopActive.offset] = activeBefore + (performance.eventLoopUtilization().active - activeBeforeMs) / 1000;
    cells[at.heapUsed.offset] = getHeapStatistics().used_heap_size;
  };
  const sampleConnections = (): void => {
    const { unknown, http1, http2, accepted, rejected, evicted } = connections();
    cells.set([unknown, http1, http2], at.connections.offset);
    cells[at.accepted.offset] = acceptedBefore + accepted;
    cells[at.rejected.offset] = rejectedBefore + rejected;
    cells[at.evicted.offset] = evictedBefore + evicted;
  };
  const schedule = (): void => {
    dueMs = clock.monotonicMs() + SAMPLE_INTERVAL_MS;
    cancel = clock.after(SAMPLE_INTERVAL_MS, () => {
      observe(cells, at.eventLoopDelay.offset, delayBounds, Math.max(0, clock.monotonicMs() - dueMs) / 1000);
      sampleConnections();
      samples += 1;
      if (samples % SAMPLES_PER_CHECK === 0) {
        check();
      }
      schedule();
    });
  };

  const collections = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      observeCollection(entry);
    }
  });
  const observeCollection = (entry: PerformanceEntry): void => {
    const { duration, detail } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } };
    const kind = KINDS.get(detail.kind);
    if (kind !== undefined) {
      const { family, offset } = at.garbageCollection;
      observe(cells, offset + GC_KINDS.indexOf(kind) * cellsPerSeries(family), family.bounds, duration / 1000);
    }
  };
  collections.observe({ entryTypes: ["gc"] });
  check();
  schedule();
  return () => {
    cancel();
    collections.disconnect();
  };
}

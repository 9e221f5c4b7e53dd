// Returns memory that a thread no longer needs after load. V8 collects only when something is allocated, keeps the young generation as
// large as it grew under load, and keeps freed pages for later. A last-resort collection returns all of that. It stops the thread for a
// moment, so it runs rarely, and only when the thread is nearly idle.
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "./clock.ts";

const CHECK_MS = 10_000;
/** A thread that is busy for a larger share of the time is not stopped. */
const BUSY_PART_MAX = 0.1;
/** How much the heap must have grown since the last collection. */
const GROWTH_BYTES_MIN = 32 * 1024 * 1024;

export interface ThreadHeap {
  /** How many bytes V8 has reserved for the heap. */
  bytes(): number;
  /** The share of the time since the last call in which the thread was busy, from 0 to 1. */
  busyPart(): number;
  /** Returns unused memory to the system. */
  release(): void;
}

/** Checks now and then whether the thread holds unused memory, and releases it. Returns a function that stops this. */
export function releaseIdleMemory(clock: Pick<Clock, "after">, heap: ThreadHeap): () => void {
  let bytesMax = heap.bytes() + GROWTH_BYTES_MIN;
  const check = (): void => {
    if (heap.busyPart() <= BUSY_PART_MAX && heap.bytes() > bytesMax) {
      heap.release();
      bytesMax = heap.bytes() + GROWTH_BYTES_MIN;
    }
    cancel = clock.after(CHECK_MS, check);
  };
  let cancel = clock.after(CHECK_MS, check);
  return () => cancel();
}

/** The heap of the calling thread. */
export function threadHeap(): ThreadHeap {
  let last = performance.eventLoopUtilization();
  return {
    bytes: () => process.memoryUsage().heapTotal,
    busyPart() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    release() {
      // Without a flag on the command line, this is the only way to get `gc`.
      setFlagsFromString("--expose-gc");
      const collect = runInNewContext("gc") as NodeJS.GCFunction;
      setFlagsFromString("--no-expose-gc");
      collect({ type: "major", execution: "sync", flavor: "last-resort" });
    },
  };
}

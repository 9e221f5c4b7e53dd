// The only worker of a process that serves calls in its main thread.
import type { MetricsMemory } from "../operations/metrics/worker-metrics.ts";
import { localSources } from "./worker-sources.ts";
import type { Workers, WorkersOptions } from "./workers.ts";

/** Starts the worker. Rejects, with nothing left open, if the rules or the TLS files are faulty. */
export async function startLocalWorker(options: WorkersOptions): Promise<Workers> {
  // The modules of a worker are half of the program. They are loaded here, so that a main thread without a worker does not load them.
  const { createWorker } = await import("./worker.ts");
  return createWorker({
    ...options,
    tls: options.tlsWatch?.contents,
    sources: localSources(options),
    thread: 0,
    metrics: options.metrics[0] as MetricsMemory,
  });
}

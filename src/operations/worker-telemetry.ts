// What watches one worker: its calls, its upstreams, its connections and its thread. Where nothing is to be watched there is none of it, and a
// call pays for none of it.
import type { ServiceName } from "../catalogue/service-names.ts";
import { type CallObserver, tellAll } from "../gateway/call-observer.ts";
import type { ConnectionCounts } from "../http/listener.ts";
import type { Clock } from "../runtime/clock.ts";
import type { UpstreamObserver } from "../upstream/upstream-observer.ts";
import { createCallRecorder } from "./metrics/call-recorder.ts";
import { watchThread } from "./metrics/thread-sampler.ts";
import { createUpstreamRecorder } from "./metrics/upstream-recorder.ts";
import type { MetricsMemory } from "./metrics/worker-metrics.ts";

/** What a worker's telemetry is made from. */
export interface WorkerTelemetryOptions {
  readonly metrics: MetricsMemory | undefined;
  readonly clock: Clock;
}

/** One worker's telemetry. */
export interface WorkerTelemetry {
  readonly callObserver: CallObserver | undefined;
  readonly upstreamObserverOf: (service: ServiceName) => UpstreamObserver | undefined;
  /** Watches the connections and the thread, until what it returns is called. */
  watchConnections(connections: () => ConnectionCounts): () => void;
}

/** Undefined where nothing is to be watched. */
export function createWorkerTelemetry({ metrics, clock }: WorkerTelemetryOptions): WorkerTelemetry | undefined {
  if (metrics === undefined) {
    return undefined;
  }
  return {
    callObserver: tellAll([createCallRecorder(metrics, clock)]),
    upstreamObserverOf: (service) => createUpstreamRecorder(metrics, service),
    watchConnections: (connections) => watchThread({ memory: metrics, clock, connections }),
  };
}

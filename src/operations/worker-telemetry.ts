// What watches one worker: its calls, its upstreams, its connections and its thread. Where nothing is to be watched there is none of it, and a
// call pays for none of it.
import type { ServiceName } from "../catalogue/service-names.ts";
import { type CallObserver, tellAll } from "../gateway/call-observer.ts";
import type { ConnectionCounts } from "../http/listener.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Config } from "../server-config.ts";
import type { UpstreamObserver } from "../upstream/upstream-observer.ts";
import { type AccessLines, createAccessLines } from "./access-log/access-lines.ts";
import { createCallRecorder } from "./metrics/call-recorder.ts";
import { watchThread } from "./metrics/thread-sampler.ts";
import { createUpstreamRecorder } from "./metrics/upstream-recorder.ts";
import type { MetricsMemory } from "./metrics/worker-metrics.ts";

/** What a worker's telemetry is made from. */
export interface WorkerTelemetryOptions {
  readonly config: Pick<Config, "accessLog" | "workers">;
  readonly metrics: MetricsMemory | undefined;
  /** Adds lines to the access log; undefined where there is none. */
  readonly writeAccessLog: ((lines: string) => void) | undefined;
  readonly clock: Clock;
}

/** One worker's telemetry. */
export interface WorkerTelemetry {
  readonly callObserver: CallObserver | undefined;
  readonly upstreamObserverOf: (service: ServiceName) => UpstreamObserver | undefined;
  /** Watches the connections and the thread, until what it returns is called. */
  watchConnections(connections: () => ConnectionCounts): () => void;
  /** Hands on what waits to be written. */
  flush(): void;
}

/** Undefined where nothing is to be watched. */
export function createWorkerTelemetry(options: WorkerTelemetryOptions): WorkerTelemetry | undefined {
  const { metrics, clock } = options;
  const accessLines = accessLinesOf(options);
  const observers = [metrics && createCallRecorder(metrics, clock), accessLines].filter((observer) => observer !== undefined);
  if (observers.length === 0) {
    return undefined;
  }
  return {
    callObserver: tellAll(observers),
    upstreamObserverOf: (service) => metrics && createUpstreamRecorder(metrics, service),
    watchConnections: (connections) => (metrics === undefined ? () => {} : watchThread({ memory: metrics, clock, connections })),
    flush: () => accessLines?.flush(),
  };
}

function accessLinesOf({
  config: { accessLog, workers },
  writeAccessLog: write,
  clock,
}: WorkerTelemetryOptions): AccessLines | undefined {
  return (
    accessLog && write && createAccessLines({ linesPerSecondMax: Math.ceil(accessLog.linesPerSecondMax / workers), write, clock })
  );
}

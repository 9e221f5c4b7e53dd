// Everything that observes one worker: its calls, its upstreams, its connections and its thread. Upstreams are always watched, for
// operators. The rest exists only if it is configured, so that it costs a call nothing otherwise.

import type { ConnectionCounts } from "@quintet/http";
import type { ServiceName } from "../catalogue/service-names.ts";
import { type CallObserver, combineObservers } from "../gateway/call-observer.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Config } from "../server-config.ts";
import type { UpstreamObserver } from "../upstream/upstream-observer.ts";
import { type AccessLines, createAccessLines } from "./access-log/access-lines.ts";
import { createCallRecorder } from "./metrics/call-recorder.ts";
import { watchThread } from "./metrics/thread-sampler.ts";
import { createUpstreamRecorder } from "./metrics/upstream-recorder.ts";
import type { MetricsMemory } from "./metrics/worker-metrics.ts";

// Of all threads together, so that a flood of calls does not fill a disk. Calls beyond that are left out, and a line says how many.
const ACCESS_LOG_LINES_PER_SECOND_MAX = 1000;

interface WorkerTelemetryOptions {
  readonly config: Pick<Config, "accessLog" | "admin" | "outbound" | "tracing" | "workers">;
  readonly metrics: MetricsMemory;
  /** Adds lines to the access log; undefined if there is none. */
  readonly writeAccessLog: ((lines: string) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export interface WorkerTelemetry {
  /** Undefined if calls are not observed. */
  readonly callObserver: CallObserver | undefined;
  readonly upstreamObserverOf: (service: ServiceName) => UpstreamObserver | undefined;
  /** Watches the connections and the thread, until the returned function is called. */
  watchConnections(connections: () => ConnectionCounts): () => void;
  /** Writes or sends whatever is pending. Never rejects. */
  close(): Promise<void>;
}

export async function createWorkerTelemetry(options: WorkerTelemetryOptions): Promise<WorkerTelemetry> {
  const { metrics, clock, log, config } = options;
  const accessLines = accessLinesOf(options);
  // OpenTelemetry takes 50 ms and several MB, so it is loaded only for traces.
  const tracing =
    config.tracing && (await import("./tracing/tracing.ts")).startTracing(config.tracing, config.outbound.proxy, clock, log);
  // Without an admin port, the other counts are never read.
  const hasMetrics = config.admin !== undefined;
  const observers = [hasMetrics ? createCallRecorder(metrics, clock) : undefined, accessLines, tracing?.observer];
  return {
    callObserver: combineObservers(observers.filter((observer) => observer !== undefined)),
    upstreamObserverOf: (service) => bothOf(createUpstreamRecorder(metrics, service, clock), tracing?.upstreamObserverOf(service)),
    watchConnections: (connections) => (hasMetrics ? watchThread({ memory: metrics, clock, connections }) : () => {}),
    async close() {
      accessLines?.flush();
      await tracing?.close();
    },
  };
}

const NOTHING: UpstreamObserver = { attempted() {}, lookedUp() {}, mirrorsChanged() {} };

function bothOf(
  counting: UpstreamObserver | undefined,
  tracing: Pick<UpstreamObserver, "attempted"> | undefined,
): UpstreamObserver | undefined {
  if (tracing === undefined) {
    return counting;
  }
  return {
    ...(counting ?? NOTHING),
    attempted(outcome, elapsedMs, host) {
      counting?.attempted(outcome, elapsedMs, host);
      tracing.attempted(outcome, elapsedMs, host);
    },
  };
}

function accessLinesOf({
  config: { accessLog, workers },
  writeAccessLog: write,
  clock,
}: WorkerTelemetryOptions): AccessLines | undefined {
  return (
    accessLog &&
    write &&
    createAccessLines({ linesPerSecondMax: Math.ceil(ACCESS_LOG_LINES_PER_SECOND_MAX / workers), write, clock })
  );
}

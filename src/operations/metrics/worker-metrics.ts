// The metrics that workers count, and where each of them is in a worker's memory. The memory is shared: the worker writes plain numbers to
// it, and the main thread reads them on request. So counting sends no message and takes no lock, and the counts outlive the thread: its
// replacement continues in the same memory.
import type { Code } from "@connectrpc/connect";
import { hasUpstreams, SERVICE_NAMES, SERVICES, type ServiceName } from "../../catalogue/service-names.ts";
import type { ProtocolName } from "../../gateway/rpc/codec.ts";
import type { CountedHistory } from "../../guard/thread-guard.ts";
import { CODE_NAMES } from "../../problem/code.ts";
import { REASONS } from "../../problem/reason.ts";
import type { AttemptOutcome } from "../../upstream/upstream-observer.ts";
import { axisOf, type CellFamily, cellFamily, cellsPerSeries, seriesCount } from "./family.ts";

/** The protocols, in the order of their axis. */
export const PROTOCOLS: readonly ProtocolName[] = ["rest", "connect", "grpc", "grpc-web", "mcp"];
/** The outcomes of a call, in the order of their axis: `OK` or a reason. */
export const OUTCOMES: readonly string[] = ["OK", ...Object.keys(REASONS)];
/** The outcomes of an attempt to query an upstream, in the order of their axis. */
export const ATTEMPT_OUTCOMES: readonly AttemptOutcome[] = [
  "ok",
  "unchanged",
  "connect",
  "timeout",
  "status",
  "body",
  "busy",
  "throttled",
];
/** The histories that accounts can look at, in the order of their axis. */
export const HISTORIES: readonly CountedHistory[] = ["usage", "refusals"];
/** The services that have upstreams, in the order of their axis. */
export const UPSTREAMS: readonly ServiceName[] = SERVICE_NAMES.filter(hasUpstreams);
/** The services whose upstreams have mirrors, in the order of their axis. */
export const MIRRORED: readonly ServiceName[] = SERVICE_NAMES.filter((name) => SERVICES[name].hasMirrors);
/** Kinds of garbage collection, in the order of their axis. */
export const GC_KINDS = ["minor", "major", "incremental", "weakcb"] as const;

/** The `service` and `method` labels of requests whose method does not exist. */
const UNKNOWN_METHOD = ["unknown", "unknown"];

// A call that is served from memory takes a tenth of a millisecond; one that queries an upstream may take half a minute.
const CALL_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const UPSTREAM_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BODY_BYTES = [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
const DELAY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const GC_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5];

/** The name of a reason's RPC code. */
const codeNameOf = (outcome: string): string => {
  const code: Code | undefined = REASONS[outcome as keyof typeof REASONS]?.code;
  return code === undefined ? "ok" : CODE_NAMES[code];
};

const families = (methods: readonly string[]) => {
  const calls = {
    labels: ["service", "method"],
    values: [...methods.map((name) => name.split("/")), UNKNOWN_METHOD],
  };
  const protocol = axisOf("protocol", PROTOCOLS);
  const reason = { labels: ["code", "reason"], values: OUTCOMES.map((outcome) => [codeNameOf(outcome), outcome]) };
  const upstream = axisOf("upstream", UPSTREAMS);
  const ofCalls = { axes: [calls, protocol], showsZeros: false };
  const ofThread = { perThread: true };
  return {
    calls: cellFamily("counter", "quintet_calls_total", "Calls that have ended, including refused ones, by outcome.", {
      axes: [calls, protocol, reason],
      showsZeros: false,
    }),
    refused: cellFamily(
      "counter",
      "quintet_calls_refused_total",
      "Calls that were refused before their body was read, by reason: because of their key, their rate or their quota, or because they are malformed.",
      { axes: [axisOf("reason", OUTCOMES.slice(1))] },
    ),
    notCounted: cellFamily(
      "counter",
      "quintet_calls_not_counted_total",
      "Calls that are missing from the history of usage, and refused calls that are missing from the history of refusals, because their counts did not fit in memory or the database refused them. Quotas still count them.",
      { axes: [axisOf("history", HISTORIES)] },
    ),
    duration: cellFamily(
      "histogram",
      "quintet_call_duration_seconds",
      "The time from the arrival of a call's headers until its response was sent completely or its caller disconnected. Includes refused calls.",
      { ...ofCalls, bounds: CALL_SECONDS },
    ),
    requestBytes: cellFamily(
      "histogram",
      "quintet_call_request_size_bytes",
      "The body of a call's request as sent: compressed, with all messages of a stream.",
      { ...ofCalls, bounds: BODY_BYTES },
    ),
    responseBytes: cellFamily(
      "histogram",
      "quintet_call_response_size_bytes",
      "The body of a call's response as sent: compressed, with all messages of a stream.",
      { ...ofCalls, bounds: BODY_BYTES },
    ),
    inFlight: cellFamily(
      "gauge",
      "quintet_calls_in_flight",
      "Calls that have been admitted and have not ended, including streams.",
      ofCalls,
    ),
    connections: cellFamily("gauge", "quintet_connections", "Open connections by protocol; `unknown` have sent nothing yet.", {
      axes: [axisOf("protocol", ["unknown", "http1", "http2"])],
    }),
    accepted: cellFamily("counter", "quintet_connections_accepted_total", "Connections that were accepted."),
    rejected: cellFamily(
      "counter",
      "quintet_connections_turned_away_total",
      "Connections that were closed immediately, because their address or the thread had reached its limit.",
    ),
    evicted: cellFamily(
      "counter",
      "quintet_connections_made_way_total",
      "Idle connections that were closed to make room for new ones.",
    ),
    attempts: cellFamily(
      "counter",
      "quintet_upstream_attempts_total",
      "Attempts to query an upstream, by outcome. `busy` and `throttled` were not sent: too many were in progress, or the upstream had asked us to wait.",
      { axes: [upstream, axisOf("outcome", ATTEMPT_OUTCOMES)] },
    ),
    attemptDuration: cellFamily(
      "histogram",
      "quintet_upstream_attempt_duration_seconds",
      "How long an attempt that was sent took, including its connection and its body.",
      { axes: [upstream], bounds: UPSTREAM_SECONDS },
    ),
    lastResponse: cellFamily(
      "gauge",
      "quintet_upstream_last_answer_timestamp_seconds",
      "When an upstream last responded to a worker, in seconds since the Unix epoch.",
      { ...ofThread, axes: [upstream], showsZeros: false },
    ),
    lastFailure: cellFamily(
      "gauge",
      "quintet_upstream_last_failure_timestamp_seconds",
      "When a worker's request to an upstream last failed, in seconds since the Unix epoch.",
      { ...ofThread, axes: [upstream], showsZeros: false },
    ),
    cache: cellFamily(
      "counter",
      "quintet_upstream_cache_requests_total",
      "Queries for an upstream, by whether they were served from the cache.",
      { axes: [upstream, axisOf("result", ["hit", "miss"])] },
    ),
    mirrors: cellFamily(
      "gauge",
      "quintet_upstream_mirrors",
      "Mirrors of an upstream as a worker sees them; those `set_aside` have failed and are not used for a while.",
      { ...ofThread, axes: [axisOf("upstream", MIRRORED), axisOf("state", ["healthy", "set_aside"])] },
    ),
    eventLoopDelay: cellFamily(
      "histogram",
      "quintet_event_loop_delay_seconds",
      "How late a timer that is due fifty times a second ran: how long a worker was busy with something else.",
      { ...ofThread, bounds: DELAY_SECONDS },
    ),
    eventLoopActive: cellFamily(
      "counter",
      "quintet_event_loop_active_seconds_total",
      "Time during which a worker's event loop was not waiting.",
      ofThread,
    ),
    garbageCollection: cellFamily(
      "histogram",
      "quintet_gc_duration_seconds",
      "Garbage collections by kind, and how long each took.",
      {
        ...ofThread,
        axes: [axisOf("kind", GC_KINDS)],
        bounds: GC_SECONDS,
      },
    ),
    heapUsed: cellFamily("gauge", "quintet_heap_used_bytes", "Memory of a worker's JavaScript objects.", ofThread),
  } as const satisfies Record<string, CellFamily>;
};

/** The metrics of workers, by their names in the code. */
type WorkerFamilies = ReturnType<typeof families>;

/** A metric and its position. */
export interface MetricLayout {
  readonly family: CellFamily;
  /** Its first cell in a worker's memory. */
  readonly offset: number;
}

/** The layout of one worker's memory. */
export interface WorkerLayout {
  readonly at: { readonly [Name in keyof WorkerFamilies]: MetricLayout };
  readonly cellCount: number;
}

/** Plans the memory for these methods, by their full names, such as `quintet.farkle.v1.FarkleService/Score`. */
export function planLayout(methods: readonly string[]): WorkerLayout {
  let cellCount = 0;
  const at = Object.entries<CellFamily>(families(methods)).map(([name, family]) => {
    const offset = cellCount;
    cellCount += seriesCount(family) * cellsPerSeries(family);
    return [name, { family, offset }] as const;
  });
  return { at: Object.fromEntries(at) as WorkerLayout["at"], cellCount };
}

/** A worker's memory for counts, and the methods in their order in that memory. */
export interface MetricsMemory {
  readonly methods: readonly string[];
  readonly cells: Float64Array;
}

/** Memory for one worker, which can be passed to its thread. */
export function createMetricsMemory(methods: readonly string[]): MetricsMemory {
  const { cellCount } = planLayout(methods);
  return { methods, cells: new Float64Array(new SharedArrayBuffer(cellCount * Float64Array.BYTES_PER_ELEMENT)) };
}

// The metrics that the main thread can read without the workers: of the process, its threads, the leases, the store and Redis. They are
// read on request, so they cost nothing otherwise.
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { LeaseOwner } from "../../guard/lease-owner.ts";
import type { RedisStatus } from "../../guard/rate/redis/redis-status.ts";
import type { Clock } from "../../runtime/clock.ts";
import { version } from "../../runtime/version.ts";
import type { NodeStatus } from "../../store/node-status.ts";
import { type Sample, writeSamples } from "./exposition.ts";
import type { Family } from "./family.ts";

/** How many threads serve, and how many times one had to be replaced. */
export interface ThreadCounts {
  readonly configured: number;
  readonly running: number;
  readonly replaced: number;
}

/** What a check of a source found. */
interface SourceCheck {
  readonly service: string;
  readonly name: string;
  readonly origin: string;
  readonly works: boolean;
}

export interface ProcessMetricsOptions {
  readonly leaseOwner: Pick<LeaseOwner, "allowances" | "breaker" | "calendar">;
  readonly nodeStatus: NodeStatus;
  readonly threads: () => ThreadCounts;
  /** Undefined without Redis. */
  readonly redisStatus: RedisStatus | undefined;
  /** When the server's certificate expires, in milliseconds since the Unix epoch; undefined if the port does not use TLS. */
  readonly certificateExpiryMs: () => number | undefined;
  /** What the last hourly check of each source of the services found; empty before the first. */
  readonly sourceChecks: () => readonly SourceCheck[];
  /** How many requested plans wait for an operator. */
  readonly planRequestsWaiting: () => number;
  /** How many attempts to send e-mails about alerts had each result. */
  readonly alertDeliveries: () => Readonly<Record<"delivered" | "retried" | "failed", number>>;
  /** How many deliveries to webhook endpoints had each result, and how many endpoints were disabled because of failures. */
  readonly webhookDeliveries: () => Readonly<Record<"delivered" | "retried" | "failed" | "disabled", number>>;
  readonly clock: Clock;
}

interface ReadFamily extends Family {
  read(sources: ProcessMetricsOptions): readonly Sample[];
}

type Read = (sources: ProcessMetricsOptions) => number | undefined;

const one =
  (read: Read) =>
  (sources: ProcessMetricsOptions): readonly Sample[] => {
    const value = read(sources);
    return value === undefined ? [] : [{ labels: {}, value }];
  };

const family = (type: Family["type"], name: string, help: string, read: Read): ReadFamily => ({
  type,
  name,
  help,
  labels: [],
  read: one(read),
});

const flag = (is: boolean): number => (is ? 1 : 0);

// Only Linux has these files.
function fileDescriptorsMax(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

function fileDescriptorsOpen(): number | undefined {
  try {
    // Since Linux 6.2 the size of this directory is the number of descriptors. Listing it takes 20 ms for 20,000 connections.
    return statSync("/proc/self/fd").size || readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}

/** The metrics, in the order in which they are shown. */
export const PROCESS_FAMILIES: readonly ReadFamily[] = [
  {
    type: "gauge",
    name: "quintet_build_info",
    help: "Always 1; its labels say which version runs.",
    labels: ["version", "node_version"],
    read: () => [{ labels: { version, node_version: process.versions.node }, value: 1 }],
  },
  {
    type: "gauge",
    name: "quintet_worker_threads",
    help: "Threads that serve calls: how many are configured, and how many are running.",
    labels: ["state"],
    read: ({ threads }) => {
      const { configured, running } = threads();
      return [
        { labels: { state: "configured" }, value: configured },
        { labels: { state: "running" }, value: running },
      ];
    },
  },
  family(
    "counter",
    "quintet_worker_threads_replaced_total",
    "Threads that died and were replaced.",
    ({ threads }) => threads().replaced,
  ),
  family(
    "gauge",
    "quintet_leases",
    "Subscriptions whose calls this month are counted in memory.",
    ({ leaseOwner }) => leaseOwner.allowances.size,
  ),
  family(
    "gauge",
    "quintet_leases_max",
    "How many subscriptions fit in memory.",
    ({ leaseOwner }) => leaseOwner.allowances.capacity,
  ),
  family("gauge", "quintet_leased_calls", "Calls that were leased from the store and have not been spent.", ({ leaseOwner }) =>
    leaseOwner.allowances.totalLeft(leaseOwner.calendar.today()),
  ),
  family(
    "gauge",
    "quintet_store_up",
    "1 while the store responds; 0 while it is known to be down or does not respond.",
    ({ leaseOwner }) => flag(!leaseOwner.breaker.isOpen),
  ),
  family(
    "counter",
    "quintet_store_requests_total",
    "The guard's queries to the store: for keys and for leases.",
    ({ leaseOwner }) => leaseOwner.breaker.counts.queries,
  ),
  family(
    "counter",
    "quintet_store_requests_slow_total",
    "Queries that took longer than callers wait.",
    ({ leaseOwner }) => leaseOwner.breaker.counts.slow,
  ),
  family(
    "counter",
    "quintet_store_requests_failed_total",
    "Queries that failed or got no response.",
    ({ leaseOwner }) => leaseOwner.breaker.counts.failed,
  ),
  family(
    "counter",
    "quintet_store_silences_total",
    "How many times the store stopped responding while a query was in progress.",
    ({ leaseOwner }) => leaseOwner.breaker.counts.silences,
  ),
  family(
    "gauge",
    "quintet_nodes_alive",
    "Nodes on the same database that may be serving, including this one.",
    ({ nodeStatus }) => nodeStatus.aliveNodes,
  ),
  family(
    "gauge",
    "quintet_key_changes_missed",
    "1 while this node may have missed changes to keys and plans, and refuses calls; otherwise 0.",
    ({ nodeStatus, clock }) => flag(nodeStatus.isStale(clock.monotonicMs())),
  ),
  {
    type: "gauge",
    name: "quintet_source_works",
    help: "1 if the last hourly check of a source found data that its service can use; otherwise 0, and the log says what is wrong.",
    labels: ["service", "source", "origin"],
    read: ({ sourceChecks }) =>
      sourceChecks().map(({ service, name, origin, works }) => ({ labels: { service, source: name, origin }, value: flag(works) })),
  },
  family(
    "gauge",
    "quintet_plan_requests_waiting",
    "Requested plans that wait for an operator, on all nodes together.",
    ({ planRequestsWaiting }) => planRequestsWaiting(),
  ),
  {
    type: "counter",
    name: "quintet_alert_deliveries_total",
    help: "Attempts to send an alert by e-mail: delivered; failed, and will be tried again (retried); failed for good (failed).",
    labels: ["result"],
    read: ({ alertDeliveries }) => Object.entries(alertDeliveries()).map(([result, value]) => ({ labels: { result }, value })),
  },
  {
    type: "counter",
    name: "quintet_webhook_deliveries_total",
    help: "Attempts to deliver to a customer's webhook endpoint: delivered; failed, and will be tried again (retried); failed for good (failed).",
    labels: ["result"],
    read: ({ webhookDeliveries }) => {
      const { disabled: _, ...results } = webhookDeliveries();
      return Object.entries(results).map(([result, value]) => ({ labels: { result }, value }));
    },
  },
  family(
    "counter",
    "quintet_webhook_endpoints_disabled_total",
    "Webhook endpoints that this server disabled because they failed for five days or responded that they are gone.",
    ({ webhookDeliveries }) => webhookDeliveries().disabled,
  ),
  {
    type: "gauge",
    name: "quintet_redis_up",
    help: "1 while a thread can use Redis; 0 while it admits its share of each rate. Absent without Redis.",
    labels: ["thread"],
    read: ({ redisStatus }) =>
      (redisStatus?.threadsUp ?? []).map((isUp, thread) => ({ labels: { thread: String(thread) }, value: flag(isUp) })),
  },
  family(
    "gauge",
    "quintet_certificate_expiry_timestamp_seconds",
    "When the server's TLS certificate expires, in seconds since the Unix epoch. Absent without TLS.",
    ({ certificateExpiryMs }) => {
      const expiryMs = certificateExpiryMs();
      return expiryMs === undefined ? undefined : expiryMs / 1000;
    },
  ),
  family("counter", "process_cpu_seconds_total", "CPU time of the process, including all threads.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }),
  family("gauge", "process_resident_memory_bytes", "Memory of the process that is not swapped out.", () =>
    process.memoryUsage.rss(),
  ),
  family(
    "gauge",
    "process_start_time_seconds",
    "When the process started, in seconds since the Unix epoch.",
    ({ clock }) => clock.nowMs() / 1000 - process.uptime(),
  ),
  family("gauge", "process_open_fds", "Open file descriptors, including connections.", fileDescriptorsOpen),
  family("gauge", "process_max_fds", "How many file descriptors the system lets the process open.", fileDescriptorsMax),
];

/** The text of the main thread's metrics. Metrics that this system does not have are left out. */
export function writeProcessMetrics(sources: ProcessMetricsOptions): string {
  return PROCESS_FAMILIES.map((each) => {
    const samples = each.read(sources);
    return samples.length === 0 ? "" : writeSamples(each, samples);
  }).join("");
}

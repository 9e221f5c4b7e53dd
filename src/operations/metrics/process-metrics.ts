// The metrics that the main thread knows by itself: the process, its threads, the leases, the store and Redis. They are read when they are asked
// for, so nothing is counted for them.
import { readdirSync, readFileSync } from "node:fs";
import type { LeaseOwner } from "../../guard/lease-owner.ts";
import type { Clock } from "../../runtime/clock.ts";
import { version } from "../../runtime/version.ts";
import type { NodeStatus } from "../../store/node-status.ts";
import { type Sample, writeSamples } from "./exposition.ts";
import type { Family } from "./family.ts";

/** How many threads serve, and how often one had to be replaced. */
export interface ThreadCounts {
  readonly configured: number;
  readonly running: number;
  readonly replaced: number;
}

/** What the main thread's metrics are read from. */
export interface ProcessMetricsSources {
  readonly leaseOwner: Pick<LeaseOwner, "allowances" | "breaker" | "calendar">;
  readonly nodeStatus: NodeStatus;
  readonly threads: () => ThreadCounts;
  /** For each thread, 1 while Redis does not answer it; undefined where there is no Redis. */
  readonly redisUnhealthy: Int32Array | undefined;
  readonly clock: Clock;
}

interface ReadFamily extends Family {
  read(sources: ProcessMetricsSources): readonly Sample[];
}

type Read = (sources: ProcessMetricsSources) => number | undefined;

const one =
  (read: Read) =>
  (sources: ProcessMetricsSources): readonly Sample[] => {
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

// Linux alone has these files.
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
    return readdirSync("/proc/self/fd").length;
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
    help: "Threads that serve: as many as are configured, and as many as run.",
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
    "Threads that had died and were replaced.",
    ({ threads }) => threads().replaced,
  ),
  family(
    "gauge",
    "quintet_leases",
    "Subscriptions whose calls of the month are counted in memory.",
    ({ leaseOwner }) => leaseOwner.allowances.size,
  ),
  family(
    "gauge",
    "quintet_leases_max",
    "For how many subscriptions there is room.",
    ({ leaseOwner }) => leaseOwner.allowances.capacity,
  ),
  family("gauge", "quintet_leased_calls", "Calls that were leased from the store and have not been spent.", ({ leaseOwner }) =>
    leaseOwner.allowances.leftOfAll(leaseOwner.calendar.today()),
  ),
  family(
    "gauge",
    "quintet_store_up",
    "1 while the store answers; 0 while it is known to be down or does not answer.",
    ({ leaseOwner }) => flag(!leaseOwner.breaker.isOpen),
  ),
  family(
    "counter",
    "quintet_store_requests_total",
    "Questions of the guard to the store: for keys and for leases.",
    ({ leaseOwner }) => leaseOwner.breaker.counts.asked,
  ),
  family(
    "counter",
    "quintet_store_requests_slow_total",
    "Questions that the store answered too late for callers to wait for.",
    ({ leaseOwner }) => leaseOwner.breaker.counts.slow,
  ),
  family(
    "counter",
    "quintet_store_requests_failed_total",
    "Questions that the store did not answer.",
    ({ leaseOwner }) => leaseOwner.breaker.counts.failed,
  ),
  family(
    "counter",
    "quintet_store_silences_total",
    "How often the store stopped answering while it was being asked.",
    ({ leaseOwner }) => leaseOwner.breaker.counts.silences,
  ),
  family(
    "gauge",
    "quintet_nodes_alive",
    "Nodes on the same database that may be serving, this one included.",
    ({ nodeStatus }) => nodeStatus.aliveNodes,
  ),
  family(
    "gauge",
    "quintet_key_changes_missed",
    "1 while this node may have missed changes of keys and plans, and refuses calls; else 0.",
    ({ nodeStatus, clock }) => flag(nodeStatus.isStale(clock.monotonicMs())),
  ),
  {
    type: "gauge",
    name: "quintet_redis_up",
    help: "1 while Redis answers a thread in time; 0 while its node counts each second by itself. Without Redis it is missing.",
    labels: ["thread"],
    read: ({ redisUnhealthy }) =>
      Array.from(redisUnhealthy ?? [], (_, thread) => ({
        labels: { thread: String(thread) },
        value: flag(redisUnhealthy !== undefined && Atomics.load(redisUnhealthy, thread) === 0),
      })),
  },
  family("counter", "process_cpu_seconds_total", "Processor time of the process, all its threads together.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }),
  family("gauge", "process_resident_memory_bytes", "Memory of the process that is not swapped out.", () =>
    process.memoryUsage.rss(),
  ),
  family(
    "gauge",
    "process_start_time_seconds",
    "When the process began, in seconds since the Unix epoch.",
    ({ clock }) => clock.nowMs() / 1000 - process.uptime(),
  ),
  family("gauge", "process_open_fds", "Open file descriptors, connections among them.", fileDescriptorsOpen),
  family("gauge", "process_max_fds", "How many file descriptors the system lets the process open.", fileDescriptorsMax),
];

/** The text of the main thread's metrics. Those that this system does not have are missing. */
export function writeProcessMetrics(sources: ProcessMetricsSources): string {
  return PROCESS_FAMILIES.map((each) => {
    const samples = each.read(sources);
    return samples.length === 0 ? "" : writeSamples(each, samples);
  }).join("");
}

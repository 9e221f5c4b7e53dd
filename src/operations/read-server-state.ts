// The state of this server for operators, read on request: from the memory in which workers count the outcomes of their upstream requests,
// and from what the main thread knows.
import type { ServerState, UpstreamState } from "../account/server-state.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { LeaseOwner } from "../guard/lease-owner.ts";
import type { RedisStatus } from "../guard/rate/redis/redis-status.ts";
import type { Clock } from "../runtime/clock.ts";
import { version } from "../runtime/version.ts";
import { callsNotCounted } from "./metrics/not-counted.ts";
import type { ThreadCounts } from "./metrics/process-metrics.ts";
import {
  ATTEMPT_OUTCOMES,
  type MetricLayout,
  type MetricsMemory,
  MIRRORED,
  planLayout,
  UPSTREAMS,
} from "./metrics/worker-metrics.ts";

const US_PER_SECOND = 1_000_000;

interface ServerStateOptions {
  /** The memory in which each worker counts. */
  readonly metrics: readonly MetricsMemory[];
  readonly leaseOwner: Pick<LeaseOwner, "allowances" | "breaker" | "calendar">;
  readonly threads: ThreadCounts;
  /** Undefined without Redis. */
  readonly redisStatus: RedisStatus | undefined;
  readonly databaseKind: ServerState["database"]["kind"];
  /** How many calls have been admitted so far. */
  readonly calls: number;
  /** How many calls are missing from the call log, because the database did not accept them. */
  readonly callsMissingFromLog: number;
  readonly clock: Clock;
}

export function readServerState(sources: ServerStateOptions): ServerState {
  const { metrics, leaseOwner, threads, redisStatus, databaseKind, calls, callsMissingFromLog, clock } = sources;
  const { counts, isOpen } = leaseOwner.breaker;
  const { queries, slow, failed } = counts;
  const cpu = process.cpuUsage();
  return {
    version,
    startedAtMs: Math.round(clock.nowMs() - process.uptime() * 1000),
    memoryBytes: process.memoryUsage.rss(),
    cpuSeconds: (cpu.user + cpu.system) / US_PER_SECOND,
    calls,
    leasedCalls: leaseOwner.allowances.totalLeft(leaseOwner.calendar.today()),
    callsMissingFromLog,
    callsMissingFromUsage: callsNotCounted(metrics, "usage"),
    refusalsMissing: callsNotCounted(metrics, "refusals"),
    threads,
    database: { kind: databaseKind, isUp: !isOpen, queries, slow, failed },
    redis: redisStatus && {
      threadsUp: redisStatus.threadsUp.filter((isUp) => isUp).length,
      threads: redisStatus.threadsUp.length,
    },
    upstreams: UPSTREAMS.map((service, index) => upstreamState(metrics, service, index)),
  };
}

function upstreamState(metrics: readonly MetricsMemory[], service: ServiceName, upstreamIndex: number): UpstreamState {
  const { at } = planLayout(metrics[0]?.methods ?? []);
  const cellsOf = ({ offset }: MetricLayout, cell: number): readonly number[] =>
    metrics.map(({ cells }) => cells[offset + cell] as number);
  const sum = (family: MetricLayout, cell: number): number => cellsOf(family, cell).reduce((total, each) => total + each, 0);
  const attempts = (outcomes: readonly string[]): number =>
    ATTEMPT_OUTCOMES.map((outcome, index) =>
      outcomes.includes(outcome) ? sum(at.attempts, upstreamIndex * ATTEMPT_OUTCOMES.length + index) : 0,
    ).reduce((total, each) => total + each, 0);
  const latestMs = (family: MetricLayout): number | undefined =>
    Math.round(1000 * Math.max(...cellsOf(family, upstreamIndex))) || undefined;
  const mirroredIndex = MIRRORED.indexOf(service);
  const mirrors =
    mirroredIndex >= 0
      ? { healthy: sum(at.mirrors, mirroredIndex * 2), setAside: sum(at.mirrors, mirroredIndex * 2 + 1) }
      : undefined;
  return {
    service,
    succeeded: attempts(RESPONDED),
    failed: attempts(ATTEMPT_OUTCOMES.filter((outcome) => !RESPONDED.includes(outcome) && !HELD_BACK.includes(outcome))),
    heldBack: attempts(HELD_BACK),
    lastSucceededAtMs: latestMs(at.lastResponse),
    lastFailedAtMs: latestMs(at.lastFailure),
    cacheHits: sum(at.cache, upstreamIndex * 2),
    cacheMisses: sum(at.cache, upstreamIndex * 2 + 1),
    mirrors: mirrors !== undefined && mirrors.healthy + mirrors.setAside > 0 ? mirrors : undefined,
  };
}

const RESPONDED: readonly string[] = ["ok", "unchanged"];
const HELD_BACK: readonly string[] = ["busy", "throttled"];

// A server's state in a few lines, made from its metrics.
import type { MetricValue } from "./metrics-text.ts";

type Filter = (labels: Readonly<Record<string, string>>) => boolean;

// The codes of failures that are not the caller's fault.
const SERVER_FAULTS = new Set(["internal", "unavailable"]);

/** Names and values in display order. Counts are since the start. */
export function statusOf(metrics: readonly MetricValue[], nowMs: number): Readonly<Record<string, string | number>> {
  const valuesOf = (name: string, filter: Filter = () => true): readonly MetricValue[] =>
    metrics.filter((metric) => metric.name === name && filter(metric.labels));
  const sum = (name: string, filter?: Filter): number => valuesOf(name, filter).reduce((total, { value }) => total + value, 0);
  const isUp = (name: string): boolean => valuesOf(name).every(({ value }) => value === 1);
  const [build] = valuesOf("quintet_build_info");
  const threads = (state: string): number => sum("quintet_worker_threads", (labels) => labels.state === state);
  const attempts = sum("quintet_upstream_attempts_total");
  const succeeded = sum("quintet_upstream_attempts_total", ({ outcome }) => outcome === "ok" || outcome === "unchanged");
  const hasRedis = valuesOf("quintet_redis_up").length > 0;
  return {
    version: build?.labels.version ?? "unknown",
    up_seconds: Math.max(0, Math.round(nowMs / 1000 - sum("process_start_time_seconds"))),
    threads: `${threads("running")} of ${threads("configured")}, ${sum("quintet_worker_threads_replaced_total")} replaced`,
    calls: sum("quintet_calls_total"),
    calls_failed_on_our_side: sum("quintet_calls_total", ({ code = "" }) => SERVER_FAULTS.has(code)),
    calls_refused: sum("quintet_calls_refused_total"),
    calls_in_flight: sum("quintet_calls_in_flight"),
    connections: sum("quintet_connections"),
    p99_milliseconds: p99Ms(valuesOf("quintet_call_duration_seconds_bucket", ({ method = "" }) => !method.startsWith("Watch"))),
    database: isUp("quintet_store_up") ? "up" : "down",
    ...(hasRedis && { redis: isUp("quintet_redis_up") ? "up" : "down" }),
    nodes: sum("quintet_nodes_alive"),
    subscriptions_in_memory: sum("quintet_leases"),
    leased_calls: sum("quintet_leased_calls"),
    upstream_requests: attempts,
    upstream_requests_failed: attempts - succeeded,
    memory_mib: Math.round(sum("process_resident_memory_bytes") / 2 ** 20),
  };
}

// The bound of the bucket that contains the 99th percentile; the histogram is no more precise.
function p99Ms(buckets: readonly MetricValue[]): string {
  const counts = new Map<number, number>();
  for (const { labels, value } of buckets) {
    const bound = labels.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels.le);
    counts.set(bound, (counts.get(bound) ?? 0) + value);
  }
  const ascending = [...counts].toSorted(([a], [b]) => a - b);
  const [, total = 0] = ascending.at(-1) ?? [];
  if (total === 0) {
    return "no calls yet";
  }
  const [bound = 0] = ascending.find(([, count]) => count >= 0.99 * total) ?? [];
  const finite = ascending.at(-2)?.[0] ?? 0;
  return bound === Number.POSITIVE_INFINITY ? `over ${finite * 1000}` : `under ${bound * 1000}`;
}

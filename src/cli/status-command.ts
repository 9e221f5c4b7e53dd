// `quintet status`: the state of a running server, from the metrics on its admin port.
import type { Command } from "commander";
import { readAdminConfig } from "../config/admin.ts";
import { Environment } from "../config/environment.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandEdge } from "./context.ts";
import { examples } from "./help.ts";
import { facts, grouped, json } from "./output.ts";

// A server's state in a few lines, made from its metrics.
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

const TIMEOUT_MS = 5000;

export function addStatusCommand(program: Command, { variables, clock, out }: CommandEdge): void {
  program
    .command("status")
    .description("Show the running server's calls, limits, database, upstreams and threads, from its admin port.")
    .option("--json", "print JSON")
    .addHelpText("after", examples("QUINTET_ADMIN_PORT=9464 quintet status"))
    .action(async ({ json: wantsJson = false }: { json?: boolean }) => {
      const status = statusOf(readMetrics(await fetchMetrics(adminOrigin(variables))), clock.nowMs());
      out(
        wantsJson
          ? json(status)
          : facts(
              Object.entries(status).map(([name, value]) => [
                name.replaceAll("_", " "),
                typeof value === "number" ? grouped(value) : String(value),
              ]),
            ),
      );
    });
}

function adminOrigin(variables: CommandEdge["variables"]): string {
  const environment = new Environment(variables);
  const admin = readAdminConfig(environment);
  environment.check();
  if (admin === undefined || admin.port === 0) {
    throw new CommandRefused(
      "settings",
      "Set QUINTET_ADMIN_PORT to the port that the server was started with; a server without it has no status to show.",
    );
  }
  const { host, port } = admin;
  // 0.0.0.0 and :: stand for all addresses, and cannot be called themselves.
  const reachableHost = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachableHost.includes(":") ? `[${reachableHost}]` : reachableHost}:${port}`;
}

async function fetchMetrics(origin: string): Promise<string> {
  try {
    const response = await fetch(`${origin}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) {
      return await response.text();
    }
    throw new Error(`it responded with ${response.status}`);
  } catch (thrown) {
    const { cause, message } = thrown as Error & { readonly cause?: NodeJS.ErrnoException };
    throw new CommandRefused(
      "store",
      `No server responds at ${origin}: ${cause?.code ?? cause?.message ?? message}. Is it running, with this QUINTET_ADMIN_PORT and QUINTET_ADMIN_HOST?`,
    );
  }
}

// Parses the metrics text of our own server.
interface MetricValue {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All values, in the order of the text. */
export function readMetrics(text: string): readonly MetricValue[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      return [];
    }
    const pairs = Array.from(
      labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g),
      ([, label = "", written = ""]) => [label, written] as const,
    );
    return [{ name, labels: Object.fromEntries(pairs), value: value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value) }];
  });
}

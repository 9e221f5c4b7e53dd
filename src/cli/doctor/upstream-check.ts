// Whether the upstreams can be reached from here: DNS, connection, TLS, an HTTP response. The services themselves check the
// content of responses.
import { type Dispatcher, fetch } from "undici";
import type { Clock } from "../../runtime/clock.ts";
import { createAgent, type ProxyConfig } from "../../runtime/proxied-agent.ts";
import type { ServiceUpstreams } from "../../services/registry.ts";
import type { ClockDifference } from "./clock-check.ts";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.ts";

// Dates in headers are in whole seconds, and the response took time to arrive.
const DATE_PRECISION_MS = 1500;

interface UpstreamCheckOptions {
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
  readonly userAgent: string;
  /** The longest wait for one response, in milliseconds. */
  readonly timeoutMs: number;
  /** The proxy that requests go through; undefined if there is none. */
  readonly proxy?: ProxyConfig | undefined;
}

/** The findings, and how the upstreams' clocks differ. */
export interface UpstreamReport {
  readonly findings: readonly Finding[];
  readonly clocks: readonly ClockDifference[];
}

interface Visit {
  /** The URL as it may be shown: without a password or a query. */
  readonly url: string;
  readonly status: number | undefined;
  readonly ms: number;
  readonly reason: string;
  readonly clock: ClockDifference | undefined;
}

/** Sends one request to every upstream, all at the same time. */
export async function checkUpstreams(groups: readonly ServiceUpstreams[], options: UpstreamCheckOptions): Promise<UpstreamReport> {
  const visits = new Map<string, Promise<Visit>>();
  const dispatcher = createAgent(options.proxy, {});
  const visitOnce = (url: string): Promise<Visit> => {
    const started = visits.get(url) ?? visit(url, dispatcher, options);
    visits.set(url, started);
    return started;
  };
  const findings = await Promise.all(
    groups.map(async ({ service, name, urls }) => {
      const all = await Promise.all(urls.map(visitOnce));
      const isServed = all.some(({ status = 500 }) => status < 500);
      return all.map((each) => findingOf(`${service}: ${name}`, each, isServed, urls.length > 1));
    }),
  );
  const clocks = await Promise.all(visits.values());
  await dispatcher.destroy();
  return { findings: findings.flat(), clocks: clocks.flatMap(({ clock }) => clock ?? []) };
}

function findingOf(subject: string, { url, status, ms, reason }: Visit, isServed: boolean, hasOthers: boolean): Finding {
  if (status !== undefined && status < 500) {
    return ok(subject, `${url} responds in ${Math.round(ms)} ms`);
  }
  const what = status === undefined ? `${url} cannot be reached: ${reason}` : `${url} responds with ${status}`;
  if (isServed) {
    return warn(subject, what, "Another source is used instead. If this persists, remove the failing source from the setting.");
  }
  const all = hasOthers ? "None of the sources can be reached. " : "";
  return fail(subject, what, `${all}Check DNS, the firewall and the setting. Until then, calls that need this source fail.`);
}

async function visit(
  target: string,
  dispatcher: Dispatcher,
  { clock, userAgent, timeoutMs }: UpstreamCheckOptions,
): Promise<Visit> {
  const { origin, pathname, host } = new URL(target);
  const url = origin + pathname.replace(/\/$/, "");
  const startedMs = clock.monotonicMs();
  try {
    const response = await fetch(target, {
      headers: { "user-agent": userAgent },
      redirect: "manual",
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const dateMs = Date.parse(response.headers.get("date") ?? "");
    const nowMs = clock.nowMs();
    await response.body?.cancel();
    const difference = Number.isNaN(dateMs)
      ? undefined
      : { whose: host, aheadMs: dateMs - nowMs, uncertaintyMs: DATE_PRECISION_MS };
    return { url, status: response.status, ms: clock.monotonicMs() - startedMs, reason: "", clock: difference };
  } catch (error) {
    return { url, status: undefined, ms: clock.monotonicMs() - startedMs, reason: reasonOf(error), clock: undefined };
  }
}

// Sends a request to an upstream over the network, with at most one retry. Owns the connections, the limit on concurrent requests, and the
// waits that the upstream asked for. undici's interceptors are not used. `retry` uses its own timers, which ignore deadlines, and resumes
// half-read bodies. `deduplicate` and `cache` keep unchecked bytes, and if the first caller fails, the callers that wait for it fail too.
// `dns` alternates between IPv4 and IPv6, and does not fall back where IPv6 is not routed; Node's own connect tries both. `decompress` is
// experimental and warns at every start.
import type { Agent } from "undici";
import type { Clock } from "../runtime/clock.ts";
import { FairQueue } from "../runtime/fair-queue.ts";
import type { Log } from "../runtime/log.ts";
import { pause } from "../runtime/pause.ts";
import { createAgent, createGuardedAgent, type ProxyConfig } from "../runtime/proxied-agent.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { UpstreamFault } from "./fault.ts";
import { fetchJson, type JsonResponse } from "./fetch-json.ts";
import type { Flight } from "./single-flight.ts";
import type { Validators } from "./upstream.ts";
import type { UpstreamObserver } from "./upstream-observer.ts";

// Remembers which origins asked us to wait, and for how long.

// An upstream has a handful of origins; the limit guards against a list of mirrors that grows without end.
const ORIGINS_MAX = 64;

/** The origins that must not be queried yet. */
interface RetryAfterTracker {
  /**
   * Records that an origin responded with `status` and asked us to wait for `retryAfterMs`. If there are several responses, the longest
   * wait applies.
   */
  note(origin: string, status: number, retryAfterMs: number): void;
  /** Throws an UpstreamFault "throttled", with the time left, if the origin must not be queried yet. */
  check(origin: string): void;
}

export function createRetryAfterTracker(clock: Clock): RetryAfterTracker {
  const origins = new Map<string, { readonly status: number; readonly untilMs: number }>();
  return {
    note(origin, status, retryAfterMs) {
      const untilMs = clock.monotonicMs() + retryAfterMs;
      // Concurrent requests may get different waits.
      if ((origins.get(origin)?.untilMs ?? 0) > untilMs) {
        return;
      }
      origins.delete(origin);
      const [oldest] = origins.keys();
      if (origins.size >= ORIGINS_MAX && oldest !== undefined) {
        origins.delete(oldest);
      }
      origins.set(origin, { status, untilMs });
    },
    check(origin) {
      const noted = origins.get(origin);
      if (noted === undefined) {
        return;
      }
      const retryAfterMs = Math.ceil(noted.untilMs - clock.monotonicMs());
      if (retryAfterMs > 0) {
        throw new UpstreamFault("throttled", "no request was sent: the upstream had asked us to wait", {
          status: noted.status,
          retryAfterMs,
        });
      }
      origins.delete(origin);
    },
  };
}

export interface AttemptsOptions {
  /** The upstream's name in the log. */
  readonly name: string;
  /** The `user-agent` header. */
  readonly userAgent: string;
  /** The maximum number of concurrent requests. At most three quarters of them may be for one account. */
  readonly concurrencyMax: number;
  /**
   * The maximum number of waiting requests. When one more arrives, a waiting request of the account with the most is refused in favour of
   * an account with fewer. A refused request gets an UpstreamFault "busy".
   */
  readonly queueMax: number;
  /** The most requests in a second, which may come at once. Further ones wait. By default as many as there are. */
  readonly requestsPerSecondMax?: number | undefined;
  /** The maximum size of a body, before and after decompression. */
  readonly bodyBytesMax: number;
  /** The maximum number of values in a body's JSON: objects, lists, strings, numbers and so on. */
  readonly bodyValuesMax: number;
  /** How long connecting may take, including TLS. */
  readonly connectTimeoutMs: number;
  /** The proxy that requests go through; undefined if there is none. */
  readonly proxy?: ProxyConfig | undefined;
  /** How many times a transport failure is retried. Default 1. */
  readonly retries?: 0 | 1;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Notified of every attempt; undefined if there is no observer. */
  readonly observer?: UpstreamObserver | undefined;
}

export interface Attempts {
  /** Sends a request, and retries if that may help and time is left. Only throws UpstreamFault. */
  request(url: string, validators: Validators | undefined, flight: Flight): Promise<JsonResponse | "unchanged">;
  close(): Promise<void>;
}

// Less than 1, so that another account's first request need not wait while the upstream is slow.
const ACCOUNT_SHARE = 3 / 4;
// No account has this id.
const OWN_REQUESTS = "";
// A compromise between the idle timeouts of common servers (5 s and up) and the gaps between calls. A connection that died in the meantime
// uses up the retry.
const IDLE_CONNECTION_MS = 10_000;
// A server that restarts behind a load balancer is often back within this time, or the balancer chooses another. With jitter, so that
// callers that failed together do not retry together.
const RETRY_DELAY_MS = { min: 50, spread: 150 };
// How long to wait after a 429 that does not say when to retry.
const UNSPECIFIED_RETRY_AFTER_MS = 1000;

/** Opens no connection before the first request. */
export function createAttempts(options: AttemptsOptions): Attempts {
  const { clock, log, name, observer } = options;
  const dispatcher = createAgent(options.proxy, agentOptions(options));
  const guardedDispatcher = createGuardedAgent(options.proxy, agentOptions(options));
  const { concurrencyMax, queueMax } = options;
  // undici limits its connections, but lets any number of requests wait for one.
  const requests = new FairQueue({
    concurrencyMax,
    ownerConcurrencyMax: (account) =>
      account === OWN_REQUESTS ? concurrencyMax : Math.max(1, Math.floor(concurrencyMax * ACCOUNT_SHARE)),
    waitingMax: queueMax,
    queueFull: (ownerWaiting) =>
      new UpstreamFault("busy", `${concurrencyMax} requests are in progress and ${queueMax} are waiting`, {
        isOwnShare: 2 * ownerWaiting >= queueMax,
      }),
  });
  const retryAfter = createRetryAfterTracker(clock);
  const waitForTurn = createPace(clock, options.requestsPerSecondMax);

  const noteFault = (origin: string, fault: UpstreamFault): void => {
    const { kind, status } = fault;
    const retryAfterMs = fault.retryAfterMs ?? (status === 429 ? UNSPECIFIED_RETRY_AFTER_MS : undefined);
    log.debug({ upstream: name, kind, status, retryAfterMs }, `upstream attempt failed: ${fault.message}`);
    if (status !== undefined && retryAfterMs !== undefined) {
      retryAfter.note(origin, status, retryAfterMs);
    }
  };

  const attempt = async (url: string, validators: Validators | undefined, flight: Flight): Promise<JsonResponse | "unchanged"> => {
    if (observer === undefined) {
      return await send(url, validators, flight, () => {});
    }
    let sentMs: number | undefined;
    const elapsedMs = (): number => (sentMs === undefined ? 0 : clock.monotonicMs() - sentMs);
    try {
      const response = await send(url, validators, flight, () => {
        sentMs = clock.monotonicMs();
      });
      observer.attempted(response === "unchanged" ? "unchanged" : "ok", elapsedMs(), hostOf(url));
      return response;
    } catch (thrown) {
      observer.attempted(asFault(thrown).kind, elapsedMs(), hostOf(url));
      throw thrown;
    }
  };

  const send = async (
    url: string,
    validators: Validators | undefined,
    flight: Flight,
    onSend: () => void,
  ): Promise<JsonResponse | "unchanged"> => {
    const { signal, propagated, account } = flight;
    const origin = URL.parse(url)?.origin ?? "";
    retryAfter.check(origin);
    const release = await requests.acquire(account ?? OWN_REQUESTS, signal);
    try {
      await waitForTurn(signal);
      // While this request waited, the upstream may have sent Retry-After in response to another.
      retryAfter.check(origin);
      onSend();
      const { userAgent, bodyBytesMax, bodyValuesMax } = options;
      const nowMs = clock.nowMs();
      return await fetchJson(url, {
        dispatcher,
        guardedDispatcher,
        userAgent,
        bodyBytesMax,
        bodyValuesMax,
        validators,
        propagated,
        signal,
        nowMs,
      }).catch((thrown: unknown) => {
        const fault = asFault(thrown);
        noteFault(origin, fault);
        throw fault;
      });
    } finally {
      release();
    }
  };

  return {
    async request(url, validators, flight) {
      try {
        return await attempt(url, validators, flight);
      } catch (thrown) {
        const fault = asFault(thrown);
        const delayMs = RETRY_DELAY_MS.min + options.randomness.unit() * RETRY_DELAY_MS.spread;
        if (options.retries === 0 || !isRetryable(fault) || flight.timeLeftMs() <= delayMs) {
          throw fault;
        }
        await pause(clock, delayMs, flight.signal);
        return await attempt(url, validators, flight);
      }
    },
    async close() {
      await Promise.all([dispatcher.destroy(), guardedDispatcher.destroy()]);
    },
  };
}

// Waits until another request is within the rate.
function createPace(clock: Clock, perSecondMax = Number.POSITIVE_INFINITY): (signal: AbortSignal) => Promise<void> {
  const intervalMs = 1000 / perSecondMax;
  let nextMs = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const nowMs = clock.monotonicMs();
    const turnMs = Math.max(nextMs, nowMs - 1000 + intervalMs);
    nextMs = turnMs + intervalMs;
    if (turnMs > nowMs) {
      await pause(clock, turnMs - nowMs, signal);
    }
  };
}

const hostOf = (url: string): string => URL.parse(url)?.hostname ?? "";

const agentOptions = ({ concurrencyMax, connectTimeoutMs, bodyBytesMax }: AttemptsOptions): Agent.Options => ({
  connect: { timeout: connectTimeoutMs },
  connections: concurrencyMax,
  pipelining: 1,
  // The limit counts one connection per concurrent request; HTTP/2 would put several on one.
  allowH2: false,
  // The call's own deadline covers headers and body.
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: IDLE_CONNECTION_MS,
  maxResponseSize: bodyBytesMax,
});

// Anything else thrown on the way becomes a fault too: services only ever see UpstreamFault.
function asFault(thrown: unknown): UpstreamFault {
  return thrown instanceof UpstreamFault ? thrown : new UpstreamFault("connect", "failed", { cause: thrown });
}

// Whether the same request may succeed soon: it was valid, and the upstream did not ask us to wait.
function isRetryable({ kind, status = 0, retryAfterMs }: UpstreamFault): boolean {
  return kind === "connect" || (kind === "status" && retryAfterMs === undefined && status >= 502 && status <= 504);
}

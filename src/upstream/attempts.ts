// Sends a request to an upstream over the network, with at most one retry. Has the connections, the bound on concurrent requests,
// and the wait that the upstream asked for.
//
// undici's interceptors are not used, each for a reason that was tried or read: `retry` waits by its own timers, past any deadline,
// and resumes half a body; `deduplicate` and `cache` hold bytes that nobody has checked, and tie waiting callers to the first one's
// fate; `dns` takes turns between IPv4 and IPv6, and does not fall back where IPv6 is not routed (Node's own connect tries both);
// `decompress` is experimental and warns at every start.
import { Agent } from "undici";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { Semaphore } from "../runtime/semaphore.ts";
import { UpstreamFault } from "./fault.ts";
import { fetchJson, type JsonAnswer } from "./fetch-json.ts";
import { publicLookup } from "./public-address.ts";
import { createRetryAfterTracker } from "./retry-after-tracker.ts";
import type { Flight } from "./single-flight.ts";
import type { Validators } from "./upstream.ts";
import type { UpstreamObserver } from "./upstream-observer.ts";

/** How an upstream is asked. */
export interface AttemptsOptions {
  /** What the log calls it. */
  readonly name: string;
  /** The `user-agent` header. */
  readonly userAgent: string;
  /** The most requests under way at once. */
  readonly concurrencyMax: number;
  /** The most requests that may wait; one more throws an UpstreamFault "busy". */
  readonly queueMax: number;
  /** The most bytes of a body, before and after decompression. */
  readonly bodyBytesMax: number;
  /** The longest that a connection may take to be there, TLS included. */
  readonly connectTimeoutMs: number;
  /** How often a failure on the way is tried again. Default 1. */
  readonly retries?: 0 | 1;
  /** How many redirects are followed, by the rules of `redirectTarget`. Default 0. */
  readonly redirectsMax?: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Hears of every attempt; undefined where nobody does. */
  readonly observer?: UpstreamObserver | undefined;
}

/** The way to one upstream. */
export interface Attempts {
  /** Sends a request, and retries when that may help and time is left. Throws nothing but UpstreamFault. */
  ask(url: string, validators: Validators | undefined, flight: Flight): Promise<JsonAnswer | "unchanged">;
  /** Cuts all connections. */
  close(): Promise<void>;
}

// Between the idle times of common servers (from 5 s) and the gaps between calls; a connection that died meanwhile costs the retry.
const IDLE_CONNECTION_MS = 10_000;
// A gateway that is being restarted behind a balancer is often back, or another is chosen, within this; with jitter, so that
// callers that failed together do not come back together.
const RETRY_DELAY_MS = { min: 50, spread: 150 };
// After a 429 that does not say when to come back.
const UNSPECIFIED_RETRY_AFTER_MS = 1000;

/** Opens no connection before it is asked. */
export function createAttempts(options: AttemptsOptions): Attempts {
  const { clock, log, name, observer } = options;
  const dispatcher = createAgent(options, {});
  const guardedDispatcher = createAgent(options, { lookup: publicLookup });
  const { concurrencyMax, queueMax } = options;
  // undici bounds its connections, but lets any number of requests wait for one.
  const requests = new Semaphore({
    concurrencyMax,
    queueMax,
    queueFull: () => new UpstreamFault("busy", `${concurrencyMax} requests are under way and ${queueMax} wait`),
  });
  const retryAfter = createRetryAfterTracker(clock);

  const noteFault = (origin: string, fault: UpstreamFault): void => {
    const { kind, status } = fault;
    const retryAfterMs = fault.retryAfterMs ?? (status === 429 ? UNSPECIFIED_RETRY_AFTER_MS : undefined);
    log.debug({ upstream: name, kind, status, retryAfterMs }, `upstream attempt failed: ${fault.message}`);
    if (status !== undefined && retryAfterMs !== undefined) {
      retryAfter.note(origin, status, retryAfterMs);
    }
  };

  const attempt = async (url: string, validators: Validators | undefined, flight: Flight): Promise<JsonAnswer | "unchanged"> => {
    if (observer === undefined) {
      return await send(url, validators, flight, () => {});
    }
    let sentMs: number | undefined;
    const elapsedMs = (): number => (sentMs === undefined ? 0 : clock.monotonicMs() - sentMs);
    try {
      const answer = await send(url, validators, flight, () => {
        sentMs = clock.monotonicMs();
      });
      observer.attempted(answer === "unchanged" ? "unchanged" : "ok", elapsedMs(), hostOf(url));
      return answer;
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
  ): Promise<JsonAnswer | "unchanged"> => {
    const { signal, propagated } = flight;
    const origin = URL.parse(url)?.origin ?? "";
    retryAfter.check(origin);
    const release = await requests.acquire(signal);
    try {
      // While this request waited, the upstream may have answered another with Retry-After.
      retryAfter.check(origin);
      onSend();
      const { userAgent, bodyBytesMax, redirectsMax = 0 } = options;
      const nowMs = clock.nowMs();
      return await fetchJson(url, {
        dispatcher,
        guardedDispatcher,
        userAgent,
        redirectsMax,
        bodyBytesMax,
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
    async ask(url, validators, flight) {
      try {
        return await attempt(url, validators, flight);
      } catch (thrown) {
        const fault = asFault(thrown);
        const delayMs = RETRY_DELAY_MS.min + options.randomness.unit() * RETRY_DELAY_MS.spread;
        if (options.retries === 0 || !mayPass(fault) || flight.timeLeftMs() <= delayMs) {
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

const hostOf = (url: string): string => URL.parse(url)?.hostname ?? "";

function createAgent(
  { concurrencyMax, connectTimeoutMs, bodyBytesMax }: AttemptsOptions,
  connect: Agent.Options["connect"],
): Agent {
  return new Agent({
    connect: { ...connect, timeout: connectTimeoutMs },
    connections: concurrencyMax,
    pipelining: 1,
    // One connection for each request under way is what the bound is about; HTTP/2 would add streams to it.
    allowH2: false,
    // The call's own deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    maxResponseSize: bodyBytesMax,
  });
}

// Whatever else is thrown on the way is a fault too: what services see is UpstreamFault and nothing more.
function asFault(thrown: unknown): UpstreamFault {
  return thrown instanceof UpstreamFault ? thrown : new UpstreamFault("connect", "failed", { cause: thrown });
}

// Whether the same request may succeed in a moment: nothing was wrong with it, and nobody asked us to wait.
function mayPass({ kind, status = 0, retryAfterMs }: UpstreamFault): boolean {
  return kind === "connect" || (kind === "status" && retryAfterMs === undefined && status >= 502 && status <= 504);
}

async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

// Queries the radio directory. A fresh response is reused without a request. Otherwise the mirrors are queried. If none responds, a
// response from the last hour is reused, marked with its age.
import { type CallContext, type Deadline, deadlineOf } from "../../upstream/deadline.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { AllMirrorsFailed } from "../../upstream/mirror-race.ts";
import { createMirrors } from "../../upstream/mirrors.ts";
import { createUpstream } from "../../upstream/undici-upstream.ts";
import type { Fetched, Upstream } from "../../upstream/upstream.ts";
import { upstreamFailure } from "../../upstream/upstream-failure.ts";
import type { ServiceContext } from "../definition.ts";
import type { RadioConfig } from "./config.ts";
import type { DirectoryQuery } from "./directory-query.ts";
import { keepMirrorList } from "./mirror-list.ts";
import type { NameResolver } from "./name-resolver.ts";
import { type Play, parsePlay, playPath } from "./play.ts";
import { createRecentResponses, type RecentResponse } from "./recent-responses.ts";

export interface DirectoryOptions extends ServiceContext {
  readonly config: RadioConfig;
  readonly resolver: NameResolver;
}

export interface DirectoryResponse<Row> {
  readonly rows: readonly Row[];
  /** When it was received, in milliseconds since the epoch. */
  readonly receivedAtMs: number;
  /** Its age in seconds, if it is reused because no mirror responded. Otherwise undefined. */
  readonly ageSeconds: number | undefined;
}

export interface Directory {
  /** Starts looking for mirrors. Until they are found, the configured ones are used. */
  begin(): void;
  /** Throws a Failure: UPSTREAM_FAILED, or DEADLINE_EXCEEDED or CANCELLED if the caller caused it. */
  query<Row>(query: DirectoryQuery<Row>, context: CallContext): Promise<DirectoryResponse<Row>>;
  /**
   * Reports a play to one mirror, once; undefined if the directory does not know the station. The UUID is in lower case. Throws as
   * `query` does.
   */
  reportPlay(uuid: string, context: CallContext): Promise<Play | undefined>;
  /** Stops looking for mirrors and cuts the connections. */
  close(): Promise<void>;
}

// Volunteers run the mirrors, so each gets no more than this. Further requests go to the next mirror. The 501 longest of 55,170 stations
// take 1.3 MB together, with 40 values each.
const MIRROR_LIMITS = { concurrencyMax: 24, queueMax: 100, bodyBytesMax: 4 * 1024 * 1024, bodyValuesMax: 100_000 };
/** The part of a call's deadline reserved for the response, after all mirrors have used their time. */
const RESPONSE_MARGIN_MS = 250;

export function createDirectory(options: DirectoryOptions): Directory {
  const { config, clock, log, observer } = options;
  const recent = createRecentResponses(clock);
  const mirrors = createMirrors({ ...options, name: "radio", attemptTimeoutMs: config.attemptTimeoutMs, hedgeMs: config.hedgeMs });
  const upstreams = createUpstreams(options);
  const list = keepMirrorList({
    ...options,
    srvName: config.srvName,
    mirrors: config.mirrors,
    onFound(origins) {
      mirrors.replace(origins);
      void upstreams.keep(origins);
    },
  });

  // Simultaneous callers share a response, but not a random one.
  const askMirrors = <Row>({ path, parse, random }: DirectoryQuery<Row>, deadline: Deadline): Promise<Fetched<readonly Row[]>> =>
    mirrors.query((origin, call) => upstreams.at(origin).get(`${origin}${path}`, parse, { ...call, alone: random }), deadline);

  return {
    begin: () => list.begin(),

    async query<Row>(query: DirectoryQuery<Row>, context: CallContext) {
      const { path, random } = query;
      const held = recent.get(path);
      const isFresh = held !== undefined && !random && held.ageMs < config.freshMs;
      observer?.lookedUp(isFresh);
      if (isFresh) {
        return toResponse<Row>(held, undefined);
      }
      const callDeadline = deadlineOf(context, clock, config.deadlineMs + RESPONSE_MARGIN_MS);
      const mirrorsDeadline = deadlineOf(context, clock, config.deadlineMs);
      try {
        const { value: rows, bodyBytes } = await askMirrors(query, mirrorsDeadline);
        recent.set(path, rows, bodyBytes);
        return { rows, receivedAtMs: clock.nowMs(), ageSeconds: undefined };
      } catch (thrown) {
        if (thrown instanceof AllMirrorsFailed) {
          log.warn({ upstream: "radio", faults: described(thrown) }, "no mirror of the radio directory responded");
          list.lookUpAgain();
          const staleResponse = recent.get(path);
          if (staleResponse !== undefined) {
            return toResponse<Row>(staleResponse, Math.floor(staleResponse.ageMs / 1000));
          }
        }
        throw upstreamFailure(thrown, callDeadline, "the radio directory");
      }
    },
    async reportPlay(uuid, context) {
      const callDeadline = deadlineOf(context, clock, config.deadlineMs + RESPONSE_MARGIN_MS);
      const mirrorDeadline = deadlineOf(context, clock, config.deadlineMs);
      try {
        return await mirrors.queryOnce(async (origin, call) => {
          try {
            const { value } = await upstreams.at(origin).get(`${origin}${playPath(uuid)}`, parsePlay, { ...call, alone: true });
            return value;
          } catch (thrown) {
            // A valid response, for which no mirror is to blame.
            if (thrown instanceof UpstreamFault && thrown.status === 404) {
              return undefined;
            }
            throw thrown;
          }
        }, mirrorDeadline);
      } catch (thrown) {
        if (thrown instanceof AllMirrorsFailed) {
          log.warn({ upstream: "radio", faults: described(thrown) }, "a play was not reported to the radio directory");
        }
        throw upstreamFailure(thrown, callDeadline, "the radio directory");
      }
    },
    async close() {
      mirrors.close();
      // Further calls find no mirror, and fail at once.
      mirrors.replace([]);
      list.close();
      await upstreams.keep([]);
    },
  };
}

// The rows of a path always have the same type, because each query has its own path.
const toResponse = <Row>({ rows, receivedAtMs }: RecentResponse, ageSeconds: number | undefined): DirectoryResponse<Row> => ({
  rows: rows as readonly Row[],
  receivedAtMs,
  ageSeconds,
});

const described = ({ faults }: AllMirrorsFailed): Record<string, unknown> =>
  Object.fromEntries(
    [...faults].map(([origin, fault]) => [origin, fault instanceof UpstreamFault ? fault.message : String(fault)]),
  );

// One upstream per mirror, so that a mirror that hangs does not delay the others.
function createUpstreams({ config, outbound, clock, randomness, log, observer }: DirectoryOptions) {
  const upstreams = new Map<string, Upstream>();
  return {
    at(origin: string): Upstream {
      const known = upstreams.get(origin);
      if (known !== undefined) {
        return known;
      }
      const connectTimeoutMs = Math.min(outbound.connectTimeoutMs, config.attemptTimeoutMs);
      const upstream = createUpstream({
        ...MIRROR_LIMITS,
        name: "radio",
        ...outbound,
        connectTimeoutMs,
        cacheMs: 0,
        // Querying the next mirror is better than querying the same one again.
        retries: 0,
        redirectsMax: 3,
        clock,
        randomness,
        log,
        observer,
      });
      upstreams.set(origin, upstream);
      return upstream;
    },
    /** Closes the upstreams of all other mirrors. */
    async keep(origins: readonly string[]): Promise<void> {
      const gone = [...upstreams].filter(([origin]) => !origins.includes(origin));
      for (const [origin] of gone) {
        upstreams.delete(origin);
      }
      await Promise.all(gone.map(([, upstream]) => upstream.close()));
    },
  };
}

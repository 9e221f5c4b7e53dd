// Queries the radio directory. A fresh response is reused without a request. Otherwise the mirrors are queried. If none responds, a
// response from the last hour is reused, marked with its age. Mirrors differ for hours, and one may have no data at all: what one of them
// does not have is believed only if another one does not have it either.
import { type CallContext, type Deadline, deadlineOf } from "../../upstream/deadline.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { AllMirrorsFailed } from "../../upstream/mirror-race.ts";
import { createMirrors } from "../../upstream/mirrors.ts";
import { createUpstream } from "../../upstream/undici-upstream.ts";
import type { Upstream } from "../../upstream/upstream.ts";
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
  /** Whether it has looked for mirrors once, or that takes too long. */
  isReady(): boolean;
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

interface MirrorResponse<Row> {
  readonly origin: string;
  /** When the mirrors were queried, monotonic. */
  readonly startedMs: number;
  readonly rows: readonly Row[];
  readonly bodyBytes: number;
}

// Volunteers run the mirrors, so each gets no more than this. Further requests go to the next mirror. The 501 longest of 55,170 stations
// take 1.3 MB together, with 40 values each.
const MIRROR_LIMITS = { concurrencyMax: 24, queueMax: 100, bodyBytesMax: 4 * 1024 * 1024, bodyValuesMax: 100_000 };
/** The part of a call's deadline reserved for the response, after all mirrors have used their time. */
const RESPONSE_MARGIN_MS = 250;
/** How long a second mirror may take, in multiples of the longest wait for one mirror. */
const SECOND_MIRROR_WAITS = 2;
/** For so long after it sent rows, a mirror is believed that nothing matches a search. */
const PROVEN_MS = 300_000;

export function createDirectory(options: DirectoryOptions): Directory {
  const { config, clock, log, observer } = options;
  const recent = createRecentResponses(clock);
  const mirrors = createMirrors({ ...options, name: "radio", attemptTimeoutMs: config.attemptTimeoutMs, hedgeMs: config.hedgeMs });
  const upstreams = createUpstreams(options);
  const list = keepMirrorList({
    ...options,
    srvName: config.srvName,
    mirrors: config.mirrors,
    onFound({ found, reserves }) {
      mirrors.replace(found, reserves);
      void upstreams.keep([...found, ...reserves]);
    },
  });

  // When each mirror last sent rows: monotonic, by origin.
  const provenAtMs = new Map<string, number>();

  const noteRows = ({ origin, rows }: MirrorResponse<unknown>): void => {
    if (rows.length > 0) {
      provenAtMs.set(origin, clock.monotonicMs());
    }
  };

  const isIncomplete = (rows: readonly unknown[], { uuidCount = 1 }: DirectoryQuery<unknown>): boolean => rows.length < uuidCount;

  const isDoubtful = ({ origin, rows }: MirrorResponse<unknown>, query: DirectoryQuery<unknown>): boolean =>
    isIncomplete(rows, query) &&
    (query.uuidCount !== undefined ||
      (recent.get(query.path)?.rows.length ?? 0) > 0 ||
      clock.monotonicMs() - (provenAtMs.get(origin) ?? Number.NEGATIVE_INFINITY) >= PROVEN_MS);

  const askMirrors = <Row>(query: DirectoryQuery<Row>, deadline: Deadline, except?: string): Promise<MirrorResponse<Row>> => {
    const { path, parse, random } = query;
    const startedMs = clock.monotonicMs();
    return mirrors.query<MirrorResponse<Row>>(
      async (origin, call) => {
        // Simultaneous callers share a response, but not a random one.
        const { value: rows, bodyBytes } = await upstreams.at(origin).get(`${origin}${path}`, parse, { ...call, alone: random });
        return { origin, startedMs, rows, bodyBytes };
      },
      deadline,
      { except, isBehind: ({ rows }, other) => isIncomplete(rows, query) && rows.length < other.rows.length },
    );
  };

  const askUntilSure = async <Row>(query: DirectoryQuery<Row>, deadline: Deadline): Promise<MirrorResponse<Row>> => {
    const first = await askMirrors(query, deadline);
    noteRows(first);
    if (!isDoubtful(first, query)) {
      return first;
    }
    const second = await askMirrors(query, secondDeadline(deadline), first.origin).catch(() => undefined);
    if (second !== undefined) {
      noteRows(second);
      if (second.rows.length > first.rows.length) {
        provenAtMs.delete(first.origin);
        mirrors.fellBehind(first.origin, first.startedMs);
        return second;
      }
    } else if ((recent.get(query.path)?.rows.length ?? 0) > first.rows.length) {
      throw new AllMirrorsFailed(new Map([[first.origin, new UpstreamFault("body", "its data is behind an earlier response")]]));
    }
    return first;
  };

  const secondDeadline = (deadline: Deadline): Deadline => {
    const untilMs = clock.monotonicMs() + SECOND_MIRROR_WAITS * config.hedgeMs;
    return { ...deadline, timeLeftMs: () => Math.min(deadline.timeLeftMs(), Math.max(0, untilMs - clock.monotonicMs())) };
  };

  const reportTo = (uuid: string, deadline: Deadline, except?: string) => {
    const startedMs = clock.monotonicMs();
    return mirrors.queryOnce<{ origin: string; startedMs: number; play: Play | undefined }>(
      async (origin, call) => {
        try {
          const { value: play } = await upstreams.at(origin).get(`${origin}${playPath(uuid)}`, parsePlay, { ...call, alone: true });
          return { origin, startedMs, play };
        } catch (thrown) {
          // A valid response, for which no mirror is to blame.
          if (thrown instanceof UpstreamFault && thrown.status === 404) {
            return { origin, startedMs, play: undefined };
          }
          throw thrown;
        }
      },
      deadline,
      except,
    );
  };

  return {
    begin: () => list.begin(),
    isReady: () => list.isLookedUp(),

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
        await list.firstLookup();
        const { rows, bodyBytes } = await askUntilSure(query, mirrorsDeadline);
        recent.set(path, rows, bodyBytes);
        return { rows, receivedAtMs: clock.nowMs(), ageSeconds: undefined };
      } catch (thrown) {
        if (thrown instanceof AllMirrorsFailed) {
          log.warn({ upstream: "radio", faults: described(thrown) }, "no mirror of the radio directory gave a usable response");
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
        await list.firstLookup();
        const first = await reportTo(uuid, mirrorDeadline);
        if (first.play !== undefined) {
          return first.play;
        }
        // The first mirror counted nothing, so this is not a second report.
        const second = await reportTo(uuid, secondDeadline(mirrorDeadline), first.origin).catch(() => undefined);
        if (second?.play !== undefined) {
          mirrors.fellBehind(first.origin, first.startedMs);
        }
        return second?.play;
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

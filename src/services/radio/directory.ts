// Queries the radio directory. A fresh answer is given again without a request. Otherwise the mirrors are asked. When none answers,
// an answer of the last hour is given again, marked with its age.

import type { OutboundConfig } from "../../config/outbound.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import { type CallContext, type Deadline, deadlineOf } from "../../upstream/deadline.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { AllMirrorsFailed } from "../../upstream/mirror-race.ts";
import { createMirrors } from "../../upstream/mirrors.ts";
import { createUpstream } from "../../upstream/undici-upstream.ts";
import type { Upstream } from "../../upstream/upstream.ts";
import { upstreamFailure } from "../../upstream/upstream-failure.ts";
import type { UpstreamObserver } from "../../upstream/upstream-observer.ts";
import type { RadioConfig } from "./config.ts";
import type { DirectoryQuery } from "./directory-query.ts";
import { keepMirrorList } from "./mirror-list.ts";
import type { NameResolver } from "./name-resolver.ts";
import { createRecentAnswers, type RecentAnswer } from "./recent-answers.ts";

/** What the directory needs. */
export interface DirectoryOptions {
  readonly config: RadioConfig;
  readonly outbound: OutboundConfig;
  readonly resolver: NameResolver;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly observer?: UpstreamObserver | undefined;
}

/** An answer of the directory. */
export interface DirectoryAnswer<Row> {
  readonly rows: readonly Row[];
  /** When the directory gave it, in milliseconds since the epoch. */
  readonly receivedAtMs: number;
  /** How old it is, in seconds, when no mirror answered and it is given again. Otherwise undefined. */
  readonly ageSeconds: number | undefined;
}

/** The radio directory. */
export interface Directory {
  /** Begins to look for its mirrors. Until they are found, the configured ones are asked. */
  begin(): void;
  /** Throws a Failure: UPSTREAM_FAILED, or DEADLINE_EXCEEDED or CANCELLED when the caller caused it. */
  ask<Row>(query: DirectoryQuery<Row>, context: CallContext): Promise<DirectoryAnswer<Row>>;
  /** Stops looking for mirrors and cuts the connections. */
  close(): Promise<void>;
}

// Volunteers run the mirrors, so each gets no more than this. Further requests go to the next mirror.
const MIRROR_LIMITS = { concurrencyMax: 24, queueMax: 100, bodyBytesMax: 8 * 1024 * 1024 };
/** The part of a call's deadline that is kept for the answer, after all mirrors have used their time. */
const ANSWER_MS = 250;

/** Makes the directory. */
export function createDirectory(options: DirectoryOptions): Directory {
  const { config, clock, log, observer } = options;
  const recent = createRecentAnswers(clock);
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

  const askMirrors = <Row>({ path, parse, random }: DirectoryQuery<Row>, deadline: Deadline): Promise<readonly Row[]> => {
    // Callers that ask at the same moment share an answer, but not a random one. A parse function of its own keeps them apart.
    const ownParse = random ? (json: unknown) => parse(json) : parse;
    return mirrors.ask(async (origin, call) => {
      const { value } = await upstreams.at(origin).get(`${origin}${path}`, ownParse, call);
      return value;
    }, deadline);
  };

  return {
    begin: () => list.begin(),

    async ask<Row>(query: DirectoryQuery<Row>, context: CallContext) {
      const { path, random } = query;
      const held = recent.get(path);
      const isFresh = held !== undefined && !random && held.ageMs < config.freshMs;
      observer?.lookedUp(isFresh);
      if (isFresh) {
        return answered<Row>(held, undefined);
      }
      const callDeadline = deadlineOf(context, clock, config.deadlineMs + ANSWER_MS);
      const mirrorsDeadline = deadlineOf(context, clock, config.deadlineMs);
      try {
        const rows = await askMirrors(query, mirrorsDeadline);
        recent.set(path, rows);
        return { rows, receivedAtMs: clock.nowMs(), ageSeconds: undefined };
      } catch (thrown) {
        if (thrown instanceof AllMirrorsFailed) {
          log.warn({ upstream: "radio", faults: described(thrown) }, "no mirror of the radio directory answered");
          list.lookAgain();
          const standIn = recent.get(path);
          if (standIn !== undefined) {
            return answered<Row>(standIn, Math.floor(standIn.ageMs / 1000));
          }
        }
        throw upstreamFailure(thrown, callDeadline, "the radio directory");
      }
    },
    async close() {
      mirrors.close();
      // Calls from now on find no mirror, and fail at once.
      mirrors.replace([]);
      await Promise.all([list.close(), upstreams.keep([])]);
    },
  };
}

// Each query has a path of its own, and so one type of rows.
const answered = <Row>({ rows, receivedAtMs }: RecentAnswer, ageSeconds: number | undefined): DirectoryAnswer<Row> => ({
  rows: rows as readonly Row[],
  receivedAtMs,
  ageSeconds,
});

const described = ({ faults }: AllMirrorsFailed): Record<string, unknown> =>
  Object.fromEntries(
    [...faults].map(([origin, fault]) => [origin, fault instanceof UpstreamFault ? fault.message : String(fault)]),
  );

// One upstream for each mirror, so that a mirror that hangs does not delay the others.
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
        userAgent: outbound.userAgent,
        connectTimeoutMs,
        cacheMs: 0,
        // The next mirror is better than the same one again.
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
    /** Closes the upstreams of all mirrors but these. */
    async keep(origins: readonly string[]): Promise<void> {
      const gone = [...upstreams].filter(([origin]) => !origins.includes(origin));
      for (const [origin] of gone) {
        upstreams.delete(origin);
      }
      await Promise.all(gone.map(([, upstream]) => upstream.close()));
    },
  };
}

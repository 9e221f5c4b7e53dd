// Decides which mirror to query first: remembers how fast each one responded and which ones failed. It sends no requests itself, and is
// given time and randomness, so a test can replay any history. A mirror that fails is set aside for a while, longer after each further
// failure. It comes back only after a good response to a background request, so no caller waits to find out that it is still down.
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { MirrorCounts } from "./upstream-observer.ts";

interface MirrorRankingOptions {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** The longest wait for a mirror before the next one is queried too, in milliseconds. */
  readonly hedgeMs: number;
}

/** Which mirrors to query. */
interface MirrorPlan {
  /** All mirrors in the order in which to try them: the fastest first, then the reserves, and those set aside last. */
  readonly order: readonly string[];
  /** Mirrors to try in the background. A mirror is not returned again until `probeEnded` is called for it. */
  readonly probes: readonly string[];
}

/** The ranking. Mirrors are identified by origin. */
export interface MirrorRanking {
  /**
   * Replaces the list. Mirrors that were in the old list too keep their measurements; new mirrors are added in random order. `reserves` are
   * mirrors that come after all the others, however fast they are.
   */
  replace(origins: readonly string[], reserves?: readonly string[]): void;
  plan(): MirrorPlan;
  /** How many mirrors there are, and how many of them are set aside. */
  counts(): MirrorCounts;
  /**
   * How long to wait for a mirror before the next one is queried too, in milliseconds: longer than the mirror takes to respond in almost
   * all cases.
   */
  hedgeDelayMs(origin: string): number;
  /** Records that a mirror gave a good response in `elapsedMs`. Returns whether it had been set aside. */
  succeeded(origin: string, elapsedMs: number): boolean;
  /**
   * Records that an attempt that started at `startedMs` (monotonic) failed or was too slow. Returns for how many milliseconds the mirror is
   * set aside: at least `retryAfterMs`. Returns undefined for an attempt that started before the last failure: a burst of calls that fail
   * together counts as one failure.
   */
  failed(origin: string, startedMs: number, retryAfterMs?: number): number | undefined;
  /** Records that the background attempt that `plan` returned has ended, with or without success. */
  probeEnded(origin: string): void;
}

const SET_ASIDE_MS = { first: 5000, longest: 300_000 };
/** A mirror without requests for this long is measured again. */
const REMEASURE_MS = 600_000;
const HEDGE_MIN_MS = 100;
/** Another mirror takes the lead only if it is this much faster: pages of one listing should come from one mirror. */
const OVERTAKING_FACTOR = 0.7;

interface Mirror {
  readonly origin: string;
  isReserve: boolean;
  /** Smoothed time of good responses and its smoothed deviation, as in TCP. Undefined before the first one. */
  latency: { meanMs: number; deviationMs: number; atMs: number } | undefined;
  /** Set from a failure until the next good response. */
  aside: { untilMs: number; failures: number; atMs: number } | undefined;
  probing: boolean;
}

export function createMirrorRanking({ clock, randomness, hedgeMs }: MirrorRankingOptions): MirrorRanking {
  let mirrors = new Map<string, Mirror>();
  let leader: string | undefined;

  const order = (): Mirror[] => {
    const all = [...mirrors.values()];
    const healthy = all.filter(({ aside }) => aside === undefined).sort(byPreference);
    const aside = all.filter((mirror) => mirror.aside !== undefined).sort(byReturn);
    const [fastest] = healthy;
    const leading = healthy.find(({ origin }) => origin === leader);
    if (
      leading !== undefined &&
      fastest !== undefined &&
      fastest.isReserve === leading.isReserve &&
      meanOf(fastest) > meanOf(leading) * OVERTAKING_FACTOR
    ) {
      return [leading, ...healthy.filter((mirror) => mirror !== leading), ...aside];
    }
    leader = fastest?.origin;
    return [...healthy, ...aside];
  };

  return {
    replace(origins, reserves = []) {
      const all = [...origins, ...reserves];
      const known = mirrors;
      const fresh = all.filter((origin) => !known.has(origin)).map((origin) => ({ origin, key: randomness.unit() }));
      const kept = [...known.values()].filter(({ origin }) => all.includes(origin));
      const added = fresh
        .sort((one, other) => one.key - other.key)
        .map(({ origin }): Mirror => ({ origin, isReserve: false, latency: undefined, aside: undefined, probing: false }));
      mirrors = new Map([...kept, ...added].map((mirror) => [mirror.origin, mirror]));
      for (const mirror of mirrors.values()) {
        mirror.isReserve = reserves.includes(mirror.origin);
      }
    },

    counts() {
      const setAside = mirrors.values().reduce((count, { aside }) => count + (aside === undefined ? 0 : 1), 0);
      return { healthy: mirrors.size - setAside, setAside };
    },

    plan() {
      const nowMs = clock.monotonicMs();
      const [first, ...others] = order();
      // If all are set aside, the caller's own attempts are the probes.
      const due = first === undefined || first.aside !== undefined ? [] : others.filter((mirror) => isDue(mirror, nowMs));
      for (const mirror of due) {
        mirror.probing = true;
      }
      return { order: [first, ...others].flatMap((mirror) => mirror?.origin ?? []), probes: due.map(({ origin }) => origin) };
    },

    hedgeDelayMs(origin) {
      const latency = mirrors.get(origin)?.latency;
      return latency === undefined ? hedgeMs : Math.min(hedgeMs, Math.max(HEDGE_MIN_MS, latency.meanMs + 4 * latency.deviationMs));
    },

    succeeded(origin, elapsedMs) {
      const mirror = mirrors.get(origin);
      if (mirror === undefined) {
        return false;
      }
      const returned = mirror.aside !== undefined;
      // How fast it was before the failure says little about it now.
      mirror.latency = smoothedLatency(returned ? undefined : mirror.latency, elapsedMs, clock.monotonicMs());
      mirror.aside = undefined;
      return returned;
    },

    failed(origin, startedMs, retryAfterMs = 0) {
      const mirror = mirrors.get(origin);
      if (mirror === undefined || (mirror.aside !== undefined && startedMs < mirror.aside.atMs)) {
        return undefined;
      }
      const nowMs = clock.monotonicMs();
      const failures = (mirror.aside?.failures ?? 0) + 1;
      const backoffMs = Math.min(SET_ASIDE_MS.longest, SET_ASIDE_MS.first * 2 ** Math.min(failures - 1, 10));
      // With jitter, so that our threads and nodes do not return to it in step.
      const durationMs = Math.round(Math.max(retryAfterMs, backoffMs * (0.8 + 0.4 * randomness.unit())));
      mirror.aside = { untilMs: nowMs + durationMs, failures, atMs: nowMs };
      return durationMs;
    },

    probeEnded(origin) {
      const mirror = mirrors.get(origin);
      if (mirror !== undefined) {
        mirror.probing = false;
      }
    },
  };
}

const meanOf = ({ latency }: Mirror): number => latency?.meanMs ?? Number.MAX_VALUE;

// Mirrors that were never measured come last, in the random order of the list.
const byPreference = (one: Mirror, other: Mirror): number =>
  Number(one.isReserve) - Number(other.isReserve) || meanOf(one) - meanOf(other);

const byReturn = (one: Mirror, other: Mirror): number => (one.aside?.untilMs ?? 0) - (other.aside?.untilMs ?? 0);

function isDue({ isReserve, aside, latency, probing }: Mirror, nowMs: number): boolean {
  // How fast a reserve is does not matter while it is not used.
  const remeasuredMs = isReserve ? Number.POSITIVE_INFINITY : latency === undefined ? nowMs : latency.atMs + REMEASURE_MS;
  const dueMs = aside?.untilMs ?? remeasuredMs;
  return !probing && dueMs <= nowMs;
}

function smoothedLatency(before: Mirror["latency"], elapsedMs: number, atMs: number): Mirror["latency"] {
  if (before === undefined) {
    return { meanMs: elapsedMs, deviationMs: elapsedMs / 2, atMs };
  }
  const errorMs = elapsedMs - before.meanMs;
  return {
    meanMs: before.meanMs + errorMs / 8,
    deviationMs: before.deviationMs + (Math.abs(errorMs) - before.deviationMs) / 4,
    atMs,
  };
}

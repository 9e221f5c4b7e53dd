// Keeps the lists fresh: reads each on its own schedule, and builds a new index when one has changed. Calls use the current index.
// Only calls that arrive before the first index wait: it is built once, when every list has been tried.
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import { capYoungGeneration } from "../../runtime/v8-flags.ts";
import { createYielder } from "./cooperative-yield.ts";
import { buildTokenIndex, type TokenIndex } from "./index/token-index.ts";
import { versionText } from "./lists/list-document.ts";
import type { ListReader, ListReading } from "./lists/list-reader.ts";

export interface ListFreshness {
  /** When it was last received or found unchanged, in milliseconds since the epoch; undefined until it has been read. */
  readonly confirmedAtMs: number | undefined;
  /** Whether the last attempt to read it failed. */
  readonly stale: boolean;
}

/** The data that calls are served from. */
export interface ListSnapshot {
  readonly index: TokenIndex;
  /** One for each list of the index, in the index's order. */
  readonly freshness: readonly ListFreshness[];
}

export interface TokenDirectory {
  begin(): void;
  /**
   * The current data. Waits until every list has been tried once, but no longer than eight seconds after the start, nor after `signal`
   * aborts or `waitMs` have passed. `"starting"` if it stopped waiting; undefined if no list could be read.
   */
  current(signal: AbortSignal, waitMs: number): Promise<ListSnapshot | "starting" | undefined>;
  /** Whether every list has been tried once, or eight seconds have passed since the start. */
  isReady(): boolean;
  /** Whether at least one list has been read. */
  hasData(): boolean;
  /** Stops reading, and waits for readings in progress. */
  close(): Promise<void>;
}

interface TokenDirectoryOptions {
  /** In order of precedence when lists disagree. */
  readonly readers: readonly ListReader[];
  readonly refreshIntervalMs: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

interface Followed {
  readonly reader: ListReader;
  /** What was read last; the index may not contain it yet. */
  latest: ListReading | undefined;
  /** When the version in the index was last known to be current. */
  confirmedAtMs: number | undefined;
  /** Failed readings since the last good one. */
  failures: number;
}

/** The longest that a slow list delays the first index: a little less than calls wait for it. */
const FIRST_ROUND_MAX_MS = 8000;
const FIRST_RETRY_MS = 60_000;
// A share of the interval, in either direction, so that nodes that started together drift apart.
const REFRESH_JITTER = 0.1;

// A minute after the first failure, twice as long after each further one, and never longer than after a success.
function pauseMs(failures: number, refreshIntervalMs: number, randomness: Randomness): number {
  const plainMs = failures === 0 ? refreshIntervalMs : Math.min(refreshIntervalMs, FIRST_RETRY_MS * 2 ** (failures - 1));
  return plainMs * (1 + REFRESH_JITTER * (2 * randomness.unit() - 1));
}

const freshnessOf = ({ confirmedAtMs, failures }: Followed): ListFreshness => ({ confirmedAtMs, stale: failures > 0 });

/** Empty until it has read its first list. */
export function createTokenDirectory(options: TokenDirectoryOptions): TokenDirectory {
  const { readers, refreshIntervalMs, clock, randomness, log } = options;
  const stopping = new AbortController();
  const followed = readers.map((reader): Followed => ({ reader, latest: undefined, confirmedAtMs: undefined, failures: 0 }));
  const timers = new Map<Followed, () => void>();
  const inFlight = new Set<Promise<void>>();
  const firstRound = Promise.withResolvers<void>();
  const opening = Promise.withResolvers<void>();
  let isReady = false;
  let untried = followed.length;
  let cancelFirstRound = (): void => {};
  let index: TokenIndex | undefined;
  // Indexes are built one after another, each from the lists at that time.
  let building = Promise.resolve();

  const rebuild = (): Promise<void> => {
    const before = building.catch(() => {});
    building = before.then(async () => {
      const lists = followed.map(({ reader, latest }) => ({ name: reader.name, checked: latest?.list }));
      if (lists.some(({ checked }, at) => checked !== index?.lists[at]?.checked)) {
        index = await buildTokenIndex(lists, createYielder(clock));
        log.info({ tokens: index.tokens.length }, "token lists indexed");
      }
      for (const [at, each] of followed.entries()) {
        if (each.latest !== undefined && each.latest.list === index?.lists[at]?.checked) {
          each.confirmedAtMs = each.latest.receivedAtMs;
        }
      }
    });
    return building;
  };

  const follow = async (each: Followed): Promise<void> => {
    const { reader, latest } = each;
    const removeCap = capYoungGeneration();
    try {
      const reading = await reader.read(stopping.signal);
      untried -= 1;
      if (untried === 0) {
        firstRound.resolve();
      }
      each.latest = reading ?? latest;
      each.failures = reading === undefined ? each.failures + 1 : 0;
      if (reading !== undefined && reading.list !== latest?.list) {
        const { entries, dropped, version } = reading.list;
        log.info({ list: reader.name, version: versionText(version), tokens: entries.length, dropped }, "token list read");
      }
      await firstRound.promise;
      await rebuild();
    } catch (error) {
      each.failures += 1;
      log.error({ list: reader.name, err: error }, "token list could not be indexed");
    } finally {
      removeCap();
    }
    if (!stopping.signal.aborted) {
      const intervalMs = Math.max(refreshIntervalMs, each.latest?.pauseMinMs ?? 0);
      const cancel = clock.after(pauseMs(each.failures, intervalMs, randomness), () => start(each));
      timers.set(each, cancel);
    }
  };

  const start = (each: Followed): Promise<void> => {
    const run = follow(each).finally(() => inFlight.delete(run));
    inFlight.add(run);
    return run;
  };

  // The first index is built even if it fails for one list, so that calls get an error instead of waiting.
  const open = async (): Promise<void> => {
    await firstRound.promise;
    cancelFirstRound();
    if (!stopping.signal.aborted) {
      await rebuild().catch(() => {});
    }
    isReady = true;
    opening.resolve();
  };

  return {
    begin() {
      cancelFirstRound = clock.after(FIRST_ROUND_MAX_MS, firstRound.resolve);
      followed.forEach(start);
      open();
    },
    async current(signal, waitMs) {
      if (!isReady && !signal.aborted) {
        const over = Promise.withResolvers<void>();
        const cancelWait = clock.after(waitMs, over.resolve);
        signal.addEventListener("abort", over.resolve as () => void, { once: true });
        await Promise.race([opening.promise, over.promise]);
        cancelWait();
        signal.removeEventListener("abort", over.resolve as () => void);
      }
      if (!isReady) {
        return "starting";
      }
      return index === undefined ? undefined : { index, freshness: followed.map(freshnessOf) };
    },
    isReady: () => isReady,
    hasData: () => index !== undefined,
    async close() {
      stopping.abort();
      cancelFirstRound();
      firstRound.resolve();
      for (const cancel of timers.values()) {
        cancel();
      }
      await Promise.all(inFlight);
    },
  };
}

// Keeps the lists fresh: reads each on its own schedule, and builds a new index when one has changed. Calls use the current index.
// Only calls that arrive before the first index wait.
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import { capYoungGeneration } from "../../runtime/v8-flags.ts";
import { createYielder } from "./cooperative-yield.ts";
import { buildTokenIndex, type TokenIndex } from "./index/token-index.ts";
import { versionText } from "./lists/list-document.ts";
import type { ListReader, ListReading } from "./lists/list-reader.ts";
import { createReadinessGate } from "./readiness-gate.ts";

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
   * The current data. Undefined if no list could be read. Waits until every list has been tried once, or until two seconds have
   * passed and at least one has been read, but no longer than until `signal` aborts or `waitMs` have passed.
   */
  current(signal: AbortSignal, waitMs: number): Promise<ListSnapshot | undefined>;
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

const FIRST_ROUND_GRACE_MS = 2000;
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
  const opening = createReadinessGate(clock, FIRST_ROUND_GRACE_MS);
  let index: TokenIndex | undefined;
  // Indexes are built one after another, each from the lists at that time.
  let building = Promise.resolve();

  const rebuild = (): Promise<void> => {
    const before = building.catch(() => {});
    building = before.then(async () => {
      const lists = followed.map(({ reader, latest }) => ({ name: reader.name, checked: latest?.list }));
      if (lists.some(({ checked }, at) => checked !== index?.lists[at]?.checked)) {
        index = await buildTokenIndex(lists, createYielder(clock));
      }
      for (const [at, each] of followed.entries()) {
        if (each.latest !== undefined && each.latest.list === index?.lists[at]?.checked) {
          each.confirmedAtMs = each.latest.receivedAtMs;
        }
      }
      if (index !== undefined) {
        opening.allow();
      }
    });
    return building;
  };

  const follow = async (each: Followed): Promise<void> => {
    const { reader, latest } = each;
    const removeCap = capYoungGeneration();
    try {
      const reading = await reader.read(stopping.signal);
      each.latest = reading ?? latest;
      each.failures = reading === undefined ? each.failures + 1 : 0;
      await rebuild();
      if (reading !== undefined && reading.list !== latest?.list) {
        const { entries, dropped, version } = reading.list;
        log.info({ list: reader.name, version: versionText(version), tokens: entries.length, dropped }, "token list read");
      }
    } catch (error) {
      each.failures += 1;
      log.error({ list: reader.name, err: error }, "token list could not be indexed");
    } finally {
      removeCap();
    }
    if (!stopping.signal.aborted) {
      const cancel = clock.after(pauseMs(each.failures, refreshIntervalMs, randomness), () => start(each));
      timers.set(each, cancel);
    }
  };

  const start = (each: Followed): Promise<void> => {
    const run = follow(each).finally(() => inFlight.delete(run));
    inFlight.add(run);
    return run;
  };

  return {
    begin() {
      opening.begin();
      Promise.all(followed.map(start)).then(opening.open);
    },
    async current(signal, waitMs) {
      await opening.wait(signal, waitMs);
      return index === undefined ? undefined : { index, freshness: followed.map(freshnessOf) };
    },
    hasData: () => index !== undefined,
    async close() {
      stopping.abort();
      opening.cancel();
      for (const cancel of timers.values()) {
        cancel();
      }
      await Promise.all(inFlight);
    },
  };
}

// The lists, kept fresh: reads each on its own schedule, builds a new index when one has changed, and swaps it in at once. Calls are
// answered from the index that is there; only those before the very first one wait.
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import type { Randomness } from "../../randomness.ts";
import { versionText } from "./list-document.ts";
import type { ListReader } from "./list-reader.ts";
import { buildTokenIndex, type NamedList, type TokenIndex } from "./token-index.ts";
import { createTurns } from "./turns.ts";

/** How fresh one list of the index is. */
export interface Freshness {
  /** When it was last received or found unchanged, in milliseconds since the epoch; undefined until it has been read. */
  readonly confirmedAtMs: number | undefined;
  /** Whether the last attempt to read it failed. */
  readonly stale: boolean;
}

/** What there is to answer from. */
export interface Directory {
  readonly index: TokenIndex;
  /** For each list of the index, in its order. */
  readonly freshness: readonly Freshness[];
}

/** The lists, kept fresh. */
export interface TokenDirectory {
  /**
   * What there is now; undefined when no list could be read. Before every list has been tried once it waits, at most until `signal`
   * aborts or `waitMs` have passed.
   */
  current(signal: AbortSignal, waitMs: number): Promise<Directory | undefined>;
  /** Stops reading, and waits for what is under way to end. */
  close(): Promise<void>;
}

/** What a directory is made of. */
export interface TokenDirectoryOptions {
  /** In the order that decides where lists disagree. */
  readonly readers: readonly ListReader[];
  readonly refreshIntervalMs: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

interface Followed {
  readonly reader: ListReader;
  named: NamedList;
  freshness: Freshness;
  failures: number;
}

const firstRetryMs = 60_000;
// Of the interval, either way: nodes that started together drift apart.
const jitter = 0.1;

/** Begins to read all lists. */
export function createTokenDirectory({
  readers,
  refreshIntervalMs,
  clock,
  randomness,
  log,
}: TokenDirectoryOptions): TokenDirectory {
  const stopping = new AbortController();
  const followed = readers.map((reader): Followed => {
    const named = { name: reader.name, checked: undefined };
    return { reader, named, freshness: { confirmedAtMs: undefined, stale: false }, failures: 0 };
  });
  const alarms = new Map<Followed, () => void>();
  const underWay = new Set<Promise<void>>();
  let index: TokenIndex | undefined;
  // Index after index: each is built from what is there when its turn comes.
  let building = Promise.resolve();

  const rebuild = (): Promise<void> => {
    const before = building.catch(() => {});
    building = before.then(async () => {
      const lists = followed.map(({ named }) => named);
      if (index === undefined || lists.some((list, at) => list.checked !== index?.lists[at]?.checked)) {
        index = await buildTokenIndex(lists, createTurns(clock));
      }
    });
    return building;
  };

  const refresh = async (each: Followed): Promise<void> => {
    const { reader } = each;
    const outcome = await reader.read(stopping.signal);
    if (outcome.kind === "failed") {
      each.failures += 1;
      each.freshness = { ...each.freshness, stale: true };
      return;
    }
    each.failures = 0;
    if (outcome.kind === "changed") {
      const { list } = outcome;
      each.named = { name: reader.name, checked: list };
      await rebuild();
      const { entries, dropped, version } = list;
      log.info({ list: reader.name, version: versionText(version), tokens: entries.length, dropped }, "token list read");
    }
    each.freshness = { confirmedAtMs: outcome.receivedAtMs, stale: false };
    log.debug({ list: reader.name }, "token list is fresh");
  };

  const pauseMs = ({ failures }: Followed): number => {
    const plainMs = failures === 0 ? refreshIntervalMs : Math.min(refreshIntervalMs, firstRetryMs * 2 ** (failures - 1));
    return plainMs * (1 + jitter * (2 * randomness.unit() - 1));
  };

  const follow = (each: Followed): Promise<void> => {
    const run = refresh(each)
      .catch((error: unknown) => log.error({ list: each.reader.name, err: error }, "token list could not be indexed"))
      .then(() => {
        underWay.delete(run);
        if (!stopping.signal.aborted) {
          alarms.set(
            each,
            clock.after(pauseMs(each), () => follow(each)),
          );
        }
      });
    underWay.add(run);
    return run;
  };

  const firstRound = Promise.all(followed.map(follow)).then(() => {});
  let firstRoundOver = false;
  firstRound.then(() => {
    firstRoundOver = true;
  });

  return {
    async current(signal, waitMs) {
      if (!firstRoundOver) {
        await atMost(firstRound, signal, waitMs, clock);
      }
      return index === undefined ? undefined : { index, freshness: followed.map(({ freshness }) => freshness) };
    },
    async close() {
      stopping.abort();
      for (const cancel of alarms.values()) {
        cancel();
      }
      await Promise.all(underWay);
    },
  };
}

async function atMost(promise: Promise<void>, signal: AbortSignal, waitMs: number, clock: Clock): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(waitMs, resolve);
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) {
    resolve();
  }
  await Promise.race([promise, over]);
  cancel();
  signal.removeEventListener("abort", onAbort);
}

// Reads one token list from its own address or from its fallbacks, and keeps the last valid version. The list's own address may
// return any version. A fallback is accepted only if its version is not older than the current one.
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import type { Upstream, Validators } from "../../../upstream/upstream.ts";
import type { TokenListSource } from "../config.ts";
import { createYielder } from "../cooperative-yield.ts";
import { type CheckedList, checkList, isSameList } from "./checked-list.ts";
import { compareVersions, readListDocument, versionText } from "./list-document.ts";

/** The last valid version of a list. */
export interface ListReading {
  /** The same object as before if the list has not changed. */
  readonly list: CheckedList;
  /** When it was received or found unchanged, in milliseconds since the epoch. */
  readonly receivedAtMs: number;
  /** The least time until the next request to where it came from. */
  readonly pauseMinMs: number;
}

interface ListReaderOptions {
  readonly source: TokenListSource;
  readonly ipfsGateway?: string | undefined;
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ListReader {
  readonly name: string;
  /** Tries each address in turn until one returns a valid list; undefined if none does. Never rejects. */
  read(signal: AbortSignal): Promise<ListReading | undefined>;
}

/** What an address last returned. */
interface Seen {
  readonly list: CheckedList;
  readonly validators: Validators;
}

// Enough for a body of about a megabyte from a slow gateway.
const ATTEMPT_TIMEOUT_MS = 20_000;

// Refuses anonymous readers that request files often:
// https://github.blog/changelog/2025-05-08-updated-rate-limits-for-unauthenticated-requests/
const GITHUB_RAW = "raw.githubusercontent.com";
const GITHUB_PAUSE_MS = 3_600_000;

const pauseMinMsOf = (url: string): number => (new URL(url).hostname === GITHUB_RAW ? GITHUB_PAUSE_MS : 0);

export function createListReader({ source, ipfsGateway, upstream, clock, log }: ListReaderOptions): ListReader {
  let held: CheckedList | undefined;
  const seen = new Map<string, Seen>();

  const isBehind = (list: CheckedList, url: string): boolean =>
    held !== undefined && url !== source.urls[0] && (list.title !== held.title || compareVersions(list.version, held.version) < 0);

  const request = async (url: string, signal: AbortSignal): Promise<ListReading> => {
    const before = seen.get(url);
    const { validators = {} } = before ?? {};
    const fetched = await upstream.getIfChanged(url, readListDocument, { signal, timeoutMs: ATTEMPT_TIMEOUT_MS, validators });
    if (fetched === "unchanged") {
      if (before === undefined) {
        throw new Error("sent 304 to an unconditional request");
      }
      return { list: before.list, receivedAtMs: clock.nowMs(), pauseMinMs: pauseMinMsOf(url) };
    }
    const turns = createYielder(clock);
    const read = await checkList(fetched.value, turns, { list: new URL(url).origin, ipfsGateway });
    // Not all publishers send validators, and some send new ones for the same content.
    const list = held !== undefined && (await isSameList(read, held, turns)) ? held : read;
    seen.set(url, { list, validators: fetched.validators });
    return { list, receivedAtMs: fetched.receivedAtMs, pauseMinMs: pauseMinMsOf(url) };
  };

  const readFrom = async (url: string, signal: AbortSignal): Promise<ListReading> => {
    const reading = await request(url, signal);
    const { list } = reading;
    if (isBehind(list, url)) {
      throw new Error(`version ${versionText(list.version)} of ${list.title} is older than the current version`);
    }
    held = list;
    return reading;
  };

  return {
    name: source.name,
    async read(signal) {
      for (const [index, url] of source.urls.entries()) {
        try {
          return await readFrom(url, signal);
        } catch (error) {
          if (signal.aborted) {
            break;
          }
          const reason = error instanceof Error ? error.message : String(error);
          log.warn({ list: source.name, source: index + 1, sources: source.urls.length, reason }, "token list could not be read");
        }
      }
      return undefined;
    },
  };
}

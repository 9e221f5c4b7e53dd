// A short cache of checked responses. It keeps parsed values for as long as the service says, whatever the upstream's cache
// headers say. It is limited in entries and in the total size of the bodies that the values came from.
import type { Clock } from "../runtime/clock.ts";
import type { Fetched } from "./upstream.ts";

const ENTRIES_MAX = 500;
const BODY_BYTES_TOTAL_MAX = 16 * 1024 * 1024;

interface Entry {
  readonly fetched: Fetched<unknown>;
  readonly untilMs: number;
}

export interface ResponseCache {
  /** The response for `url`, if there is one that is not too old. */
  get(url: string): Fetched<unknown> | undefined;
  /** Stores a response, and evicts the oldest ones if there is too much. */
  set(url: string, fetched: Fetched<unknown>): void;
}

/** Keeps each response for `maxAgeMs`; with 0 it keeps none. */
export function createResponseCache({ maxAgeMs, clock }: { maxAgeMs: number; clock: Clock }): ResponseCache {
  // In order of arrival. All entries have the same lifetime, so the first is always the next to expire.
  const entries = new Map<string, Entry>();
  let bytesHeld = 0;

  const drop = (url: string): void => {
    bytesHeld -= entries.get(url)?.fetched.bodyBytes ?? 0;
    entries.delete(url);
  };

  return {
    get(url) {
      const entry = entries.get(url);
      return entry !== undefined && entry.untilMs > clock.monotonicMs() ? entry.fetched : undefined;
    },
    set(url, fetched) {
      drop(url);
      const { bodyBytes } = fetched;
      if (maxAgeMs <= 0 || bodyBytes > BODY_BYTES_TOTAL_MAX) {
        return;
      }
      const nowMs = clock.monotonicMs();
      entries.set(url, { fetched, untilMs: nowMs + maxAgeMs });
      bytesHeld += bodyBytes;
      for (const [oldest, old] of entries) {
        if (old.untilMs > nowMs && entries.size <= ENTRIES_MAX && bytesHeld <= BODY_BYTES_TOTAL_MAX) {
          break;
        }
        drop(oldest);
      }
    },
  };
}

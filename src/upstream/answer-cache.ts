// A short cache of checked answers. It holds parsed values for as long as the service says, whatever the upstream's cache headers
// say. It is bounded by the number of entries and by the size of the bodies that the values came from.
import type { Clock } from "../runtime/clock.ts";
import type { Fetched } from "./upstream.ts";

const ENTRIES_MAX = 500;
const BODY_BYTES_TOTAL_MAX = 16 * 1024 * 1024;

interface Entry {
  readonly fetched: Fetched<unknown>;
  readonly bodyBytes: number;
  readonly untilMs: number;
}

/** The short cache. A key stands for one URL and one way to parse its answer. */
export interface AnswerCache {
  /** The answer for `key`, if there is one that is not too old. */
  get(key: string): Fetched<unknown> | undefined;
  /** Keeps an answer whose body had `bodyBytes` bytes. Drops the oldest ones if there is too much. */
  set(key: string, fetched: Fetched<unknown>, bodyBytes: number): void;
}

/** A cache that holds each answer for `maxAgeMs`; with 0 it holds none. */
export function createAnswerCache({ maxAgeMs, clock }: { maxAgeMs: number; clock: Clock }): AnswerCache {
  // In the order of arrival: all entries live equally long, so the first is always the next to expire.
  const entries = new Map<string, Entry>();
  let bytesHeld = 0;

  const drop = (key: string): void => {
    bytesHeld -= entries.get(key)?.bodyBytes ?? 0;
    entries.delete(key);
  };

  return {
    get(key) {
      const entry = entries.get(key);
      return entry !== undefined && entry.untilMs > clock.monotonicMs() ? entry.fetched : undefined;
    },
    set(key, fetched, bodyBytes) {
      drop(key);
      if (maxAgeMs <= 0 || bodyBytes > BODY_BYTES_TOTAL_MAX) {
        return;
      }
      const nowMs = clock.monotonicMs();
      entries.set(key, { fetched, bodyBytes, untilMs: nowMs + maxAgeMs });
      bytesHeld += bodyBytes;
      for (const [oldKey, old] of entries) {
        if (old.untilMs > nowMs && entries.size <= ENTRIES_MAX && bytesHeld <= BODY_BYTES_TOTAL_MAX) {
          break;
        }
        drop(oldKey);
      }
    },
  };
}

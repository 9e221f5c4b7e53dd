// Caches recent responses from the directory. Fresh ones are reused without a request. Older ones are kept for an hour, in case no mirror
// responds. Memory is limited by time and by bytes.
import type { Clock } from "../../runtime/clock.ts";

const KEPT_MS = 3_600_000;
const BYTES_TOTAL_MAX = 32 * 1024 * 1024;
// The memory that a string, a number, a list or an object takes, and a response with its query.
const VALUE_BYTES = 48;
const RESPONSE_BYTES = 1024;

export interface RecentResponse {
  readonly rows: readonly unknown[];
  /** When it was received, in milliseconds since the epoch. */
  readonly receivedAtMs: number;
  /** How old it is, in milliseconds. */
  readonly ageMs: number;
}

/** The cached responses, by query. */
export interface RecentResponses {
  /** At most one hour old. */
  get(query: string): RecentResponse | undefined;
  /** Stores a response received now, with a body of `bodyBytes` bytes. Evicts the oldest ones if they take too much memory. */
  set(query: string, rows: readonly unknown[], bodyBytes: number): void;
}

interface Kept {
  readonly rows: readonly unknown[];
  readonly receivedAtMs: number;
  readonly atMs: number;
  readonly bytes: number;
}

export function createRecentResponses(clock: Clock): RecentResponses {
  // In order of arrival, so the first is always the next to expire.
  const responses = new Map<string, Kept>();
  let bytesTotal = 0;

  const drop = (query: string): void => {
    bytesTotal -= responses.get(query)?.bytes ?? 0;
    responses.delete(query);
  };

  return {
    get(query) {
      const kept = responses.get(query);
      const ageMs = kept === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() - kept.atMs;
      return kept === undefined || ageMs > KEPT_MS ? undefined : { rows: kept.rows, receivedAtMs: kept.receivedAtMs, ageMs };
    },
    set(query, rows, bodyBytes) {
      drop(query);
      const atMs = clock.monotonicMs();
      const bytes = bytesOf(rows, bodyBytes);
      responses.set(query, { rows, receivedAtMs: clock.nowMs(), atMs, bytes });
      bytesTotal += bytes;
      for (const [oldest, kept] of responses) {
        if (bytesTotal <= BYTES_TOTAL_MAX && atMs - kept.atMs <= KEPT_MS) {
          break;
        }
        drop(oldest);
      }
    },
  };
}

// An upper bound of the memory of rows, not an estimate: their strings are slices of the body, with up to two bytes per character,
// and a slice may keep the whole string in memory.
const bytesOf = (rows: readonly unknown[], bodyBytes: number): number =>
  RESPONSE_BYTES + VALUE_BYTES * valuesIn(rows) + 2 * bodyBytes;

function valuesIn(value: unknown): number {
  let count = 1;
  if (Array.isArray(value) && typeof value[0] === "string") {
    return count + value.length;
  }
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) {
      count += typeof inner === "object" ? valuesIn(inner) : 1;
    }
  }
  return count;
}

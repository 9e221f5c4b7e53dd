// Keeps recent answers of the directory. Fresh ones are given again without a request. Others are kept for an hour, in case no
// mirror answers. The memory is bounded by time and by the number of rows.
import type { Clock } from "../../runtime/clock.ts";

const KEPT_MS = 3_600_000;
const ROWS_TOTAL_MAX = 20_000;

/** An answer that is kept. */
export interface RecentAnswer {
  readonly rows: readonly unknown[];
  /** When it was received, in milliseconds since the epoch. */
  readonly receivedAtMs: number;
  /** How old it is, in milliseconds. */
  readonly ageMs: number;
}

/** The answers that are kept, by their queries. */
export interface RecentAnswers {
  /** At most one hour old. */
  get(query: string): RecentAnswer | undefined;
  /** Keeps an answer that was received now. Drops the oldest ones if there are too many. */
  set(query: string, rows: readonly unknown[]): void;
}

interface Kept {
  readonly rows: readonly unknown[];
  readonly receivedAtMs: number;
  readonly atMs: number;
}

/** Begins empty. */
export function createRecentAnswers(clock: Clock): RecentAnswers {
  // In the order of arrival, so the first is always the next to expire.
  const answers = new Map<string, Kept>();
  let rowsTotal = 0;

  const drop = (query: string): void => {
    const kept = answers.get(query);
    rowsTotal -= kept === undefined ? 0 : weightOf(kept.rows);
    answers.delete(query);
  };

  return {
    get(query) {
      const kept = answers.get(query);
      const ageMs = kept === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() - kept.atMs;
      return kept === undefined || ageMs > KEPT_MS ? undefined : { rows: kept.rows, receivedAtMs: kept.receivedAtMs, ageMs };
    },
    set(query, rows) {
      drop(query);
      const atMs = clock.monotonicMs();
      answers.set(query, { rows, receivedAtMs: clock.nowMs(), atMs });
      rowsTotal += weightOf(rows);
      for (const [oldest, kept] of answers) {
        if (rowsTotal <= ROWS_TOTAL_MAX && atMs - kept.atMs <= KEPT_MS) {
          break;
        }
        drop(oldest);
      }
    },
  };
}

// An answer without rows takes memory too.
const weightOf = (rows: readonly unknown[]): number => rows.length + 1;

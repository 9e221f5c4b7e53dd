// Days and months in UTC. Limits are per calendar month, usage is per day.
import type { Clock } from "./clock.ts";

/** A calendar month in UTC, `2026-11`. */
export type Month = `${number}-${number}`;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const LAST_HOUR = 23;

/** A day and its month. Times are in milliseconds since the Unix epoch; ends are exclusive. */
export interface Day {
  /** `2026-11-21` */
  readonly day: string;
  readonly startMs: number;
  readonly endMs: number;
  /** `2026-11` */
  readonly month: Month;
  /** Months since the year 0. */
  readonly monthNumber: number;
  readonly monthStartMs: number;
  readonly monthEndMs: number;
  /** How long the month is. */
  readonly monthSeconds: number;
}

/** The day of a time, given in milliseconds since the epoch. */
export function dayAt(nowMs: number): Day {
  const date = new Date(nowMs);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  const startMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const monthStartMs = Date.UTC(year, month);
  const monthEndMs = Date.UTC(year, month + 1);
  const day = date.toISOString().slice(0, 10);
  return {
    day,
    startMs,
    endMs: startMs + DAY_MS,
    month: day.slice(0, 7) as Month,
    monthNumber: year * 12 + month,
    monthStartMs,
    monthEndMs,
    monthSeconds: (monthEndMs - monthStartMs) / 1000,
  };
}

/**
 * The day in which calls count, if `previous` was the last such day. A clock that is set back across the start of a month by less than a
 * day was slightly ahead, so calls still count in the month that had started. A clock that is set back by more was wrong, so its new time
 * is used. In both cases no quota is granted twice, because each month's count is in the store.
 */
export function dayAfter(previous: Day, nowMs: number): Day {
  const setBackMs = previous.monthStartMs - nowMs;
  if (setBackMs > 0 && setBackMs < DAY_MS) {
    return previous;
  }
  return nowMs >= previous.startMs && nowMs < previous.endMs ? previous : dayAt(nowMs);
}

/**
 * The hour of a day in which a call counts at `nowMs`: 0 to 23. It stays within the call's day even if the clock has passed it or was set
 * back.
 */
export const hourOf = ({ startMs }: Day, nowMs: number): number =>
  Math.max(0, Math.min(LAST_HOUR, Math.floor((nowMs - startMs) / HOUR_MS)));

/** Milliseconds until the day's month ends. */
export const monthLeftMs = (day: Day, nowMs: number): number => Math.max(0, day.monthEndMs - nowMs);

/** The current day in UTC, by the rules of `dayAfter`. */
export class Calendar {
  readonly #clock: Clock;
  #day: Day;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#day = dayAt(clock.nowMs());
  }

  /** The day in which calls count now. */
  today(): Day {
    return this.todayAt(this.#clock.nowMs());
  }

  /** The same, for callers that have just read the wall clock. */
  todayAt(nowMs: number): Day {
    this.#day = dayAfter(this.#day, nowMs);
    return this.#day;
  }
}

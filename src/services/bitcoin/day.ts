// UTC days as whole numbers, so that windows are plain arithmetic and no time zone or clock change can shift them.
/** A UTC day: whole days since 1970-01-01. */
export type Day = number;

/** The days from `first` to `last`, both inclusive. */
export interface DaySpan {
  readonly first: Day;
  readonly last: Day;
}

/** Seconds in a UTC day; Unix time has no leap seconds. */
export const SECONDS_PER_DAY = 86_400;

/** The day of a time in Unix seconds. */
export const dayOfSeconds = (seconds: number): Day => Math.floor(seconds / SECONDS_PER_DAY);

/** The day of a time in Unix milliseconds. */
export const dayOfMs = (ms: number): Day => dayOfSeconds(ms / 1000);

/** The start of a day, in Unix seconds. */
export const startOfDaySeconds = (day: Day): number => day * SECONDS_PER_DAY;

/** A day as `2026-01-31`. */
export const isoDay = (day: Day): string => new Date(startOfDaySeconds(day) * 1000).toISOString().slice(0, 10);

/** The day that is written as `2026-01-31`, or undefined if there is no such day. */
export function dayOfIso(text: string): Day | undefined {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) || isoDay(dayOfMs(ms)) !== text ? undefined : dayOfMs(ms);
}

/** A span split into spans of at most `daysMax` days, oldest first. */
export function pagesOf({ first, last }: DaySpan, daysMax: number): DaySpan[] {
  const pages: DaySpan[] = [];
  for (let start = first; start <= last; start += daysMax) {
    pages.push({ first: start, last: Math.min(start + daysMax - 1, last) });
  }
  return pages;
}

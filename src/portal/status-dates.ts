// Days and times on the status page and in its feed: in English, like the rest of both, and in UTC, because no script there knows the
// reader's time zone. Does not use Intl.DateTimeFormat, which loads the tables of all languages: 7 MB, and about 50 ms at startup.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `Nov 21, 2026`, for a day such as `2026-11-21` or for milliseconds since the epoch. */
export function dayText(day: string | number): string {
  const date = new Date(day);
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
}

/** `Nov 21, 2026, 12:10 UTC`, for milliseconds since the epoch. */
export const timeText = (ms: number): string => `${dayText(ms)}, ${new Date(ms).toISOString().slice(11, 16)} UTC`;

// Days and times on the status page and in its feed: in English, like the rest of both, and in UTC, because no script there knows the
// reader's time zone.
const DAY = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });
const CLOCK = new Intl.DateTimeFormat("en-US", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: "UTC" });

/** `Nov 21, 2026`, for a day such as `2026-11-21` or for milliseconds since the epoch. */
export const dayText = (day: string | number): string => DAY.format(new Date(day));

/** `Nov 21, 2026, 12:10 UTC`, for milliseconds since the epoch. */
export const timeText = (ms: number): string => `${dayText(ms)}, ${CLOCK.format(ms)} UTC`;

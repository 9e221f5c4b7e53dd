// When a monthly quota resets, for messages about a quota that is used up.

const DAY_MS = 86_400_000;
// Months are in UTC.
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeZone: "UTC" });

/** The date, in UTC, of the start of the month that begins in `waitMs`. */
export const monthStart = (waitMs: number): string => DAY.format(Math.round((Date.now() + waitMs) / DAY_MS) * DAY_MS);

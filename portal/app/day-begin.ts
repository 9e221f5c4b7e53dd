// The days that a user chooses in a filter, as timestamps.
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";

/**
 * When a day such as `2026-11-21` begins in the user's time zone; with `later`, when the day that many days later begins. Undefined if
 * `day` is not a day.
 */
export function dayStart(day = "", later = 0): Timestamp | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  const begin = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(begin.getTime()) ? undefined : timestampFromDate(begin);
}

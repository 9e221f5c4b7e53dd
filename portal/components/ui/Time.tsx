// A point in time as the user's language and time zone write it.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "long" });

const UNITS = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** `3 hours ago`, `in 2 days`, `now`. */
function distance(fromMs: number, toMs: number): string {
  const seconds = (toMs - fromMs) / 1000;
  const [unit, length] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? ["second", Number.POSITIVE_INFINITY];
  return AGO.format(Math.trunc(seconds / length), unit);
}

/** The day, with the exact time on hover. */
export const Day = ({ at }: { readonly at: Timestamp }) => {
  const date = timestampDate(at);
  return (
    <time dateTime={date.toISOString()} title={EXACT.format(date)}>
      {DAY.format(date)}
    </time>
  );
};

/** How long ago it was or how far away it is, with the exact time on hover. */
export const Distance = ({ at }: { readonly at: Timestamp }) => {
  const date = timestampDate(at);
  return (
    <time dateTime={date.toISOString()} title={EXACT.format(date)}>
      {distance(Date.now(), date.getTime())}
    </time>
  );
};

/** Day and time as text. */
export const exactTime = (at: Timestamp): string => EXACT.format(timestampDate(at));

/** Day and time. */
export const DateTime = ({ at }: { readonly at: Timestamp }) => {
  const date = timestampDate(at);
  return <time dateTime={date.toISOString()}>{EXACT.format(date)}</time>;
};

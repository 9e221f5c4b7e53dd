// Reads times. A request may give a time in RFC 3339, as responses do, or in Unix seconds, whatever the type of its field.
import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { wholeText } from "./json.ts";

const TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;
const UNIX_SECONDS = /^(?:0|-?[1-9]\d{0,11})$/;
// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the range of google.protobuf.Timestamp.
const SECONDS_MIN = -62135596800;
const SECONDS_MAX = 253402300799;

/** The digits after the point of a second, as nanoseconds. */
export const nanosOf = (fraction: string | undefined): number => Number((fraction ?? "").padEnd(9, "0"));

/** Reads a time in RFC 3339 or in Unix seconds; undefined if the string is neither. */
export function readTimestamp(text: string): Timestamp | undefined {
  const seconds = wholeText(text);
  return UNIX_SECONDS.test(seconds) ? withinRange(Number(seconds), 0) : readRfc3339(text);
}

/** Reads a time in RFC 3339, with fractions and any offset; undefined if the string is not one. */
export function readRfc3339(text: string): Timestamp | undefined {
  const [, date, time, fraction, sign, hours, minutes] = TIME.exec(text) ?? [];
  const local = `${date}T${time}`;
  const localMs = Date.parse(`${local}Z`);
  // Date.parse reads 30 February as 2 March, and 24:00:00 as the next day.
  if (Number.isNaN(localMs) || !new Date(localMs).toISOString().startsWith(local)) {
    return undefined;
  }
  const offsetSeconds = sign === undefined ? 0 : (sign === "-" ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
  return withinRange(localMs / 1000 - offsetSeconds, nanosOf(fraction));
}

const withinRange = (seconds: number, nanos: number): Timestamp | undefined =>
  seconds >= SECONDS_MIN && seconds <= SECONDS_MAX ? create(TimestampSchema, { seconds: BigInt(seconds), nanos }) : undefined;

// In seconds, the years 1973 to 5138 have from 9 to 11 digits. Each finer unit has three more.
const UNITS: readonly (readonly [from: number, unit: string])[] = [
  [1e17, "nanoseconds"],
  [1e14, "microseconds"],
  [1e11, "milliseconds"],
];
const VALUE_MAX = 1e20;
const WITHOUT_OFFSET = /^\d{4}-\d\d-\d\d([Tt ][0-9:.]{5,18})?$/;
const WITH_BLANK_FOR_PLUS = /^\d{4}-\d\d-\d\d[Tt][0-9:.]{8,18} \d\d:\d\d$/;

/**
 * A hint about a value that is not a valid time: `: looks like milliseconds; give seconds`. Empty if the value does not look like a time.
 */
export function timestampHint(given: string): string {
  const value = Number(given);
  const unit = value < VALUE_MAX ? UNITS.find(([from]) => value >= from)?.[1] : undefined;
  if (unit !== undefined) {
    return `: looks like ${unit}; give seconds`;
  }
  if (WITH_BLANK_FOR_PLUS.test(given)) {
    return ": in a query, write the plus sign as %2B";
  }
  return WITHOUT_OFFSET.test(given) ? ": needs a date, a time and an offset, such as Z for UTC" : "";
}

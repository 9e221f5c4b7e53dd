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

// Times in requests: which fields contain them, and hints for callers who write them differently.
import { type DescField, getOption } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { unix_seconds } from "../../gen/quintet/options/v1/options_pb.js";

// In seconds, the years 1973 to 5138 have from 9 to 11 digits. Each finer unit has three more.
const UNITS: readonly (readonly [from: number, unit: string])[] = [
  [1e17, "nanoseconds"],
  [1e14, "microseconds"],
  [1e11, "milliseconds"],
];
const VALUE_MAX = 1e20;
const WITHOUT_OFFSET = /^\d{4}-\d\d-\d\d([Tt ][0-9:.]{5,18})?$/;
const WITH_BLANK_FOR_PLUS = /^\d{4}-\d\d-\d\d[Tt][0-9:.]{8,18} \d\d:\d\d$/;

/** Whether a field is a number of Unix seconds. */
export const isUnixSeconds = (field: DescField): boolean => getOption(field, unix_seconds);

/** Whether a field contains times, which requests give in RFC 3339 or in Unix seconds. */
export const isTimestamp = (field: DescField): boolean =>
  isUnixSeconds(field) || field.message?.typeName === TimestampSchema.typeName;

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

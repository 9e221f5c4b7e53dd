// Moments in Unix seconds: a hint for a caller who gave another unit or a date.
import { type DescField, getOption } from "@bufbuild/protobuf";
import { unix_seconds } from "../../gen/quintet/options/v1/options_pb.js";

// In seconds, the years 1973 to 5138 have from 9 to 11 digits: each finer unit has three more.
const UNITS: readonly (readonly [from: number, unit: string])[] = [
  [1e17, "nanoseconds"],
  [1e14, "microseconds"],
  [1e11, "milliseconds"],
];
const VALUE_MAX = 1e20;
const DATE = /^\d{4}-\d\d-\d\d([T ][0-9:.]{5,16}(Z|[+-]\d\d:\d\d)?)?$/;

/** Whether a field holds a moment in Unix seconds. */
export const isUnixSeconds = (field: DescField): boolean => getOption(field, unix_seconds);

/**
 * A hint about a value that is not in Unix seconds: `: looks like milliseconds; give seconds`. Empty when the value does not look
 * like a moment.
 */
export function unixSecondsHint(given: string): string {
  const value = Number(given);
  const unit = value < VALUE_MAX ? UNITS.find(([from]) => value >= from)?.[1] : undefined;
  if (unit !== undefined) {
    return `: looks like ${unit}; give seconds`;
  }
  return DATE.test(given) ? ": looks like a date; give seconds since 1970-01-01 UTC" : "";
}

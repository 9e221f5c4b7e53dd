// Checks the limits that a customer sets for a key.
import type { Violation } from "../problem/problem.ts";
import type { KeyLimits } from "../store/records.ts";

/** The highest values that a key's own limits can have: calls per month, and requests per second. */
const CALLS_MAX = 1_000_000_000;
const REQUESTS_MAX = 100_000;

/** What is wrong with the given limits. */
export function limitFaults({ callsPerMonth, requestsPerSecond }: Partial<KeyLimits>): Violation[] {
  return [
    ...faultOf("calls_per_month", callsPerMonth, CALLS_MAX),
    ...faultOf("requests_per_second", requestsPerSecond, REQUESTS_MAX),
  ];
}

const faultOf = (field: string, limit: number | null | undefined, max: number): Violation[] =>
  limit === undefined || limit === null || (Number.isInteger(limit) && limit >= 1 && limit <= max)
    ? []
    : [{ field, description: `must be a whole number from 1 to ${max}, not ${limit}` }];

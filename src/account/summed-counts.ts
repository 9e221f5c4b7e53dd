// What all reports of summed counts have in common: how many counts they add up, and how large the numbers in their responses can be.
import type { ServiceName } from "../catalogue/service-names.ts";
import { Failure } from "../problem/failure.ts";
import { invalidArgument, type Violation } from "../problem/problem.ts";
import { TooMuchUsage } from "../store/store-errors.ts";
import type { RequestedSpan } from "./usage-span.ts";

/** Which counts of an account are added up. */
export interface HistoryQuery<Dimension> extends RequestedSpan {
  /** All if left out. */
  readonly service?: ServiceName | undefined;
  /** What the rows are grouped by, each at most once. */
  readonly groupBy: readonly Dimension[];
  readonly limit: number;
  readonly offset: number;
}

export interface History<Row> {
  readonly fromDay: string;
  readonly toDay: string;
  /** How many rows there would be without `limit` and `offset`. */
  readonly total: number;
  /** In ascending order of what they are grouped by. */
  readonly rows: readonly Row[];
}

/** The maximum number of counts that are added up: almost a year of seven methods with 100 keys. A database takes half a second for it. */
export const COUNTS_MAX = 250_000;

// The largest number that the responses' fields can hold.
const INT32_MAX = 2_147_483_647;

/** A number of calls for a response: one that is too large for an int32 becomes the largest int32. */
export const saturated = (calls: number): number => Math.min(calls, INT32_MAX);

/** Queries the store. Rejects with a Failure that has the violation `tooMuch` if too many counts would have to be added up. */
export async function failOnTooMuch<Result>(tooMuch: Violation, query: () => Promise<Result>): Promise<Result> {
  try {
    return await query();
  } catch (error) {
    if (error instanceof TooMuchUsage) {
      throw new Failure(invalidArgument([tooMuch]));
    }
    throw error;
  }
}

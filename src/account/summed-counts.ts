// What all reports of summed counts have in common: which counts they add up, and how many at most.
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

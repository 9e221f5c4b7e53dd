// What all reports that add up counts have in common: how many counts they add up, and which numbers their answers hold.
import { Failure } from "../problem/failure.ts";
import { invalidArgument, type Violation } from "../problem/problem.ts";
import { TooMuchUsage } from "../store/store-errors.ts";

/** How many counts are added up at most: almost a year of seven methods with 100 keys. A database adds that up in half a second. */
export const COUNTS_MAX = 250_000;

// The largest number that the answers' fields hold.
const INT32_MAX = 2_147_483_647;

/** A number of calls as the answers hold it: one that is too large for an int32 is the largest int32. */
export const saturated = (calls: number): number => Math.min(calls, INT32_MAX);

/** Asks the store. Rejects with a Failure of `tooMuch` when there is more than is added up at once. */
export async function unlessTooMuch<Answer>(tooMuch: Violation, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof TooMuchUsage) {
      throw new Failure(invalidArgument([tooMuch]));
    }
    throw error;
  }
}

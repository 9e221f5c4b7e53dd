// Collects everything wrong with the input of one request, so that one response reports all of it. The number and length of
// violations are limited.
import { Failure } from "../../problem/failure.ts";
import { invalidArgument, type Violation } from "../../problem/problem.ts";
import { shortened } from "./echo.ts";
import type { FieldTable } from "./fields.ts";

// More would not help the caller, and without a limit the response would grow with the request.
const VIOLATIONS_MAX = 20;
// A path consists of our own names and of keys that are already shortened. This limits the whole path.
const FIELD_CHARACTERS_MAX = 200;

export class Violations {
  // Both are created on first use: nearly all requests have none.
  #violations: Violation[] | undefined;
  #tablesWithUnknownName: Set<FieldTable> | undefined;

  /** True if further violations would be dropped, so that there is no need to compute them. */
  get full(): boolean {
    return this.#violations !== undefined && this.#violations.length >= VIOLATIONS_MAX;
  }

  /** Adds a violation, unless there are too many. `field` is a path in proto names. */
  add(field: string, description: string): void {
    if (!this.full) {
      this.#violations ??= [];
      this.#violations.push({ field: shortened(field, FIELD_CHARACTERS_MAX), description });
    }
  }

  /** Records that a table has no field with a given name. Returns true only the first time for each table. */
  noteUnknownName(table: FieldTable): boolean {
    this.#tablesWithUnknownName ??= new Set();
    const isFirst = !this.#tablesWithUnknownName.has(table);
    this.#tablesWithUnknownName.add(table);
    return isFirst;
  }

  /** Throws a Failure INVALID_ARGUMENT if there are any. */
  throwIfAny(): void {
    if (this.#violations !== undefined) {
      throw new Failure(invalidArgument(this.#violations));
    }
  }
}

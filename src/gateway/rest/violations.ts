// Collects everything that is wrong with the input of one request, so that its caller hears of all of it at once. The number of violations and
// their length are bounded.
import { Failure } from "../../problem/failure.ts";
import { invalidArgument, type Violation } from "../../problem/problem.ts";
import { shortened } from "./echo.ts";
import type { FieldTable } from "./fields.ts";

// A caller is not helped by more than these, and without a bound the answer would grow with the request.
const VIOLATIONS_MAX = 20;
// A field's path is made of our own names and of keys that are shortened already. This bounds the whole path.
const FIELD_CHARACTERS_MAX = 200;

/** The violations of one request. */
export class Violations {
  // Both made when they are first needed: nearly all requests have none.
  #violations: Violation[] | undefined;
  #tablesWithUnknown: Set<FieldTable> | undefined;

  /** True when further violations would be dropped, so that nothing need be computed for them. */
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

  /** Whether this is the first unknown name for a table. Answers false from the second time on. */
  isFirstUnknownOf(table: FieldTable): boolean {
    this.#tablesWithUnknown ??= new Set();
    const isFirst = !this.#tablesWithUnknown.has(table);
    this.#tablesWithUnknown.add(table);
    return isFirst;
  }

  /** Throws a Failure INVALID_ARGUMENT when there is any. */
  throwIfAny(): void {
    if (this.#violations !== undefined) {
      throw new Failure(invalidArgument(this.#violations));
    }
  }
}

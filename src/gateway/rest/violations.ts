// Collects what is wrong with one request's input, so that a caller hears of all of it at once. Bounded in number and in length:
// what is echoed of the input is cut short.

import { Failure } from "../../problem/failure.ts";
import { invalidArgument, type Violation } from "../../problem/problem.ts";
import { shortened } from "./echo.ts";
import type { FieldTable } from "./fields.ts";

// More than this helps nobody, and the answer would grow with what the caller sends.
const VIOLATIONS_MAX = 20;
// Paths of fields are made of our own names and of keys that were cut already; this bounds their sum.
const FIELD_CHARACTERS_MAX = 200;

/** The violations of one request. */
export class Violations {
  readonly #violations: Violation[] = [];
  readonly #tablesWithUnknown = new Set<FieldTable>();

  /** True when no more are taken, so that nothing need be computed for them. */
  get full(): boolean {
    return this.#violations.length >= VIOLATIONS_MAX;
  }

  /** Adds one, unless there are too many. `field` is a path in proto names. */
  add(field: string, description: string): void {
    if (!this.full) {
      this.#violations.push({ field: shortened(field, FIELD_CHARACTERS_MAX), description });
    }
  }

  /** Whether no name has been unknown to this table before; from then on one has. */
  isFirstUnknownOf(table: FieldTable): boolean {
    const isFirst = !this.#tablesWithUnknown.has(table);
    this.#tablesWithUnknown.add(table);
    return isFirst;
  }

  /** Throws a Failure INVALID_ARGUMENT when there is any. */
  throwIfAny(): void {
    if (this.#violations.length > 0) {
      throw new Failure(invalidArgument(this.#violations));
    }
  }
}

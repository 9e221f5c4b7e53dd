// Collects what is wrong with one request's input, so that a caller hears of all of it at once. Bounded in number and in length:
// what is echoed of the input is cut short.
import { Failure, invalidArgument, type Violation } from "../../problem/problem.ts";
import type { FieldTable } from "./fields.ts";
import { type Json, JsonMembers, JsonNumber } from "./json.ts";

// More than this helps nobody, and the answer would grow with what the caller sends.
const VIOLATIONS_MAX = 20;
const ECHO_CHARACTERS_MAX = 40;
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
      this.#violations.push({ field: cut(field, FIELD_CHARACTERS_MAX), description });
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

/** A name that the caller gave, short enough to be echoed. */
export function echoedName(name: string): string {
  return cut(name, ECHO_CHARACTERS_MAX);
}

/** What the caller gave, for the end of a sentence: `"x"`, `1.5`, `true`, `null`, `an array`, `an object`. */
export function echoed(value: Json): string {
  if (typeof value === "string") {
    return JSON.stringify(cut(value, ECHO_CHARACTERS_MAX));
  }
  if (value instanceof JsonNumber) {
    return cut(value.text, ECHO_CHARACTERS_MAX);
  }
  if (value instanceof JsonMembers) {
    return "an object";
  }
  return Array.isArray(value) ? "an array" : String(value);
}

function cut(text: string, charactersMax: number): string {
  // Half of a surrogate pair at the cut would be replaced by U+FFFD in the answer.
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax).toWellFormed()}…`;
}

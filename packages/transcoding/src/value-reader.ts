// How to read a value from the two forms that requests use: text (path, query, form) and JSON.
import type { Json } from "./json.ts";

/** How to read the values of one field, or the elements of one list or map. */
export interface ValueReader {
  /** What a value must be, to follow "must be": `true or false`. */
  readonly mustBe: string;
  /** Whether a value may be a secret, so that errors do not repeat it. */
  readonly mayBeSecret?: boolean;
  /** What to add to the error about a wrong value, if there is a hint: `: looks like milliseconds; give seconds`. */
  readonly hint?: (given: string) => string;
  /** Whether one string can contain several values of a list, separated by commas. */
  readonly splits: boolean;
  /** Whether JSON's null is a value. For other types it means that the field is not given. */
  readonly acceptsNull: boolean;
  /** The value in protobuf-es's form for this field, or INVALID. */
  fromText(text: string): unknown;
  /** The same, from JSON. */
  fromJson(json: Json): unknown;
}

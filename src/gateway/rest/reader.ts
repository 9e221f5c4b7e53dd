// What reads a value in the two forms in which it comes: text (path, query, form) and JSON.
import type { Json } from "./json.ts";

/** How the values of one field, or the elements of one list or map, are read. */
export interface ValueReader {
  /** What a value must be, to stand after "must be": `true or false`. */
  readonly mustBe: string;
  /** What to add for a value that was not taken, where more can be said: `: looks like milliseconds; give seconds`. */
  readonly hint?: (given: string) => string;
  /** Whether one text may hold several values, separated by commas, where the field is a list. */
  readonly splits: boolean;
  /** Whether JSON's null is a value; elsewhere it means that nothing is given. */
  readonly takesNull: boolean;
  /** The value as protobuf-es holds it in this field, or INVALID. */
  fromText(text: string): unknown;
  /** The same, from JSON. */
  fromJson(json: Json): unknown;
}

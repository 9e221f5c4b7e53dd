// How a value is read in the two forms in which requests have it: text (path, query, form) and JSON.
import type { Json } from "./json.ts";

/** How the values of one field, or the elements of one list or map, are read. */
export interface ValueReader {
  /** What a value must be, to stand after "must be": `true or false`. */
  readonly mustBe: string;
  /** What to add to the error about a wrong value, where there is a hint: `: looks like milliseconds; give seconds`. */
  readonly hint?: (given: string) => string;
  /** Whether one text may have several values of a list, separated by commas. */
  readonly splits: boolean;
  /** Whether JSON's null is a value. For other types it means that the field is not given. */
  readonly takesNull: boolean;
  /** The value as protobuf-es holds it in this field, or INVALID. */
  fromText(text: string): unknown;
  /** The same, from JSON. */
  fromJson(json: Json): unknown;
}

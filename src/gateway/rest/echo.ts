// Repeats in an error what the caller has sent, shortened so that it fits into a sentence.
import { type Json, JsonMembers, JsonNumber } from "./json.ts";

const ECHO_CHARACTERS_MAX = 40;

/** A name that the caller has sent, shortened. */
export function echoedName(name: string): string {
  return shortened(name, ECHO_CHARACTERS_MAX);
}

/** A value that the caller has sent, for the end of a sentence: `"x"`, `1.5`, `true`, `null`, `an array`, `an object`. */
export function echoed(value: Json): string {
  if (typeof value === "string") {
    return JSON.stringify(shortened(value, ECHO_CHARACTERS_MAX));
  }
  if (value instanceof JsonNumber) {
    return shortened(value.text, ECHO_CHARACTERS_MAX);
  }
  if (value instanceof JsonMembers) {
    return "an object";
  }
  return Array.isArray(value) ? "an array" : String(value);
}

/** The text, cut to at most `charactersMax` characters and an ellipsis. */
export function shortened(text: string, charactersMax: number): string {
  // The cut may leave half of a surrogate pair, which is not valid in UTF-8.
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax).toWellFormed()}…`;
}

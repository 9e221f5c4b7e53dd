// Quotes the caller's input in error messages, shortened to fit into a sentence.
import { type Json, JsonMembers, JsonNumber } from "./json.ts";

const ECHO_CHARACTERS_MAX = 40;

/** A name sent by the caller, shortened. */
export function echoedName(name: string): string {
  return shortened(name, ECHO_CHARACTERS_MAX);
}

/** A value sent by the caller, for the end of a sentence: `"x"`, `1.5`, `true`, `null`, `an array`, `an object`. */
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

/** The text, cut to at most `charactersMax` characters plus an ellipsis. */
export function shortened(text: string, charactersMax: number): string {
  // The cut may split a surrogate pair, which would not be valid UTF-8.
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax).toWellFormed()}…`;
}

// What the caller gave, as an error says it back: short enough to stand in a sentence.
import { type Json, JsonMembers, JsonNumber } from "./json.ts";

const ECHO_CHARACTERS_MAX = 40;

/** A name that the caller gave, short enough to be echoed. */
export function echoedName(name: string): string {
  return shortened(name, ECHO_CHARACTERS_MAX);
}

/** What the caller gave, for the end of a sentence: `"x"`, `1.5`, `true`, `null`, `an array`, `an object`. */
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

/** A text that is at most so long; what is cut off is marked with an ellipsis. */
export function shortened(text: string, charactersMax: number): string {
  // Half of a surrogate pair at the cut would be replaced by U+FFFD in the answer.
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax).toWellFormed()}…`;
}

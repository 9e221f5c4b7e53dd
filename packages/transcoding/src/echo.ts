// Quotes the caller's input in error messages, shortened to fit into a sentence, and without what looks like a secret.

import { type Json, JsonMembers, JsonNumber } from "./json.ts";
import { withoutSecrets } from "./secrets.ts";

const ECHO_CHARACTERS_MAX = 40;
// Enough to see a secret that begins before the cut, however long the text is.
const SEARCHED_CHARACTERS = 200;

const shownOf = (text: string): string => withoutSecrets(text.slice(0, SEARCHED_CHARACTERS));

/** A name sent by the caller, shortened and without secrets. */
export function echoedName(name: string): string {
  return shortened(shownOf(name), ECHO_CHARACTERS_MAX);
}

/** A value sent by the caller, for the end of a sentence: `"x"`, `1.5`, `true`, `null`, `an array`, `an object`. */
export function echoed(value: Json): string {
  if (typeof value === "string") {
    return JSON.stringify(shortened(shownOf(value), ECHO_CHARACTERS_MAX));
  }
  if (value instanceof JsonNumber) {
    return shortened(value.text, ECHO_CHARACTERS_MAX);
  }
  if (value instanceof JsonMembers) {
    return "an object";
  }
  return Array.isArray(value) ? "an array" : String(value);
}

/** A whole body, for the end of a sentence. A text is not repeated, because it may be a password. */
export const echoedDocument = (json: Json): string => (typeof json === "string" ? "a string" : echoed(json));

/** The text, cut to at most `charactersMax` characters plus an ellipsis. */
export function shortened(text: string, charactersMax: number): string {
  // The cut may split a surrogate pair, which would not be valid UTF-8.
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax).toWellFormed()}…`;
}

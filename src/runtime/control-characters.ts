// Characters that must not be in what people enter: PostgreSQL does not accept zero characters, and the rest would garble pages, e-mails
// and terminals. They include line separators, and characters that reverse the text direction.

/** The content of a character class, for a regular expression with the flag `u`. */
export const CONTROL_CHARACTERS = String.raw`\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;

const CONTROL_CHARACTER = new RegExp(`[${CONTROL_CHARACTERS}]`, "u");

/** Whether a string contains a control character. A line break is one. */
export const hasControlCharacter = (text: string): boolean => CONTROL_CHARACTER.test(text);

/** The violation's description if a field contains a control character. */
export const NO_CONTROL_CHARACTERS = "must not contain control characters";

// A letter, a digit or a sign. A string without any of these would look empty.
const VISIBLE_CHARACTER = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether a string looks empty: it has no characters, or only spaces and characters of no width. */
export const isBlank = (text: string): boolean => !VISIBLE_CHARACTER.test(text);

/** The violation's description if a field is blank. */
export const NOT_BLANK = "must not be blank";

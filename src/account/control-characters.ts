// Characters that must not be in what people enter: PostgreSQL does not accept zero characters, and the others would garble pages, e-mails
// and terminals. They include line separators, and characters that reverse the text direction.

/** The content of a character class, for a regular expression with the flag `u`. */
export const CONTROL_CHARACTERS = String.raw`\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;

const ANY = new RegExp(`[${CONTROL_CHARACTERS}]`, "u");

/** Whether a string contains a control character. A line break is one. */
export const hasControlCharacter = (text: string): boolean => ANY.test(text);

/** The description of a field that contains one. */
export const NO_CONTROL_CHARACTERS = "must not contain control characters";

// A letter, a digit or a sign. Spaces and characters of no width alone would be shown as nothing.
const SHOWN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether a string would be shown as nothing: it is empty, or has only spaces and characters of no width. */
export const isBlank = (text: string): boolean => !SHOWN.test(text);

/** The description of a field that is blank. */
export const NOT_BLANK = "must not be blank";

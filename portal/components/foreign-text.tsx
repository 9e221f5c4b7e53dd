// Text that unknown people wrote: names of stations, tokens and keys. Some contain invisible characters that change how the text around
// them reads, such as U+202E, which reverses it.

// Control characters, line and paragraph separators, characters that embed, override or isolate a direction, and invisible tag characters.
const HARMFUL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const REPLACEMENT = "\ufffd";

/**
 * The text with each such character replaced by the replacement character (U+FFFD). For attributes and titles; elsewhere use ForeignText,
 * which also isolates the text.
 */
export const safeText = (text: string): string => text.replaceAll(HARMFUL, REPLACEMENT);

/** The text, isolated so that its direction does not affect the text around it. */
export const ForeignText = ({ text }: { readonly text: string }) => <bdi>{safeText(text)}</bdi>;

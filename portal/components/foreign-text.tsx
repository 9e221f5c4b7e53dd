// Texts that strangers wrote: names of stations, tokens and keys. Some hold invisible characters that change how the text around them
// reads, such as U+202E, which reverses it.

// Control characters, line and paragraph separators, those that embed, override or isolate a direction, and the invisible tags.
const HARMFUL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const SHOWN = "\ufffd";

/** The text with a sign in the place of each such character. For attributes and titles; elsewhere ForeignText sets it apart too. */
export const harmless = (text: string): string => text.replaceAll(HARMFUL, SHOWN);

/** The text, whose direction does not reach what stands around it. */
export const ForeignText = ({ text }: { readonly text: string }) => <bdi>{harmless(text)}</bdi>;

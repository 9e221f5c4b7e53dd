// Cleans the names of tokens, which anybody may choose. Two names that look alike must not differ in invisible characters.

// Control and format characters, which hide text or change its direction, and other invisible ones. A variation selector after a pictograph
// is kept, and so is a joiner between two pictographs.
const INVISIBLE =
  /(?![\u200d\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]|(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d/gu;
const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/** The text without invisible characters, lone surrogates and surrounding white space. */
export function visibleText(text: string): string {
  return (PLAIN_ASCII.test(text) ? text : text.toWellFormed().replace(INVISIBLE, "")).trim();
}

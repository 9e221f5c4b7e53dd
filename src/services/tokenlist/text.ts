// Cleans untrusted texts for display, and folds them for comparison.

// Control and format characters, which hide text or turn its direction; a joiner stays where it holds an emoji together.
const INVISIBLE_CHARACTERS =
  /(?!\u200d)[\p{Cc}\p{Cf}\u2028\u2029]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d/gu;
const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/** The text without invisible characters, half characters and blanks at its ends. */
export function cleanText(text: string): string {
  return (PLAIN_ASCII.test(text) ? text : text.toWellFormed().replace(INVISIBLE_CHARACTERS, "")).trim();
}

/** The text as search compares it: lower case, without accents, with compatibility forms and the tugrik sign of `USD₮` plain. */
export function foldText(text: string): string {
  if (PLAIN_ASCII.test(text)) {
    return text.toLowerCase();
  }
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll("₮", "t");
}

/** How many characters it has, as people and JSON Schema count them. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
  }
  return count;
}

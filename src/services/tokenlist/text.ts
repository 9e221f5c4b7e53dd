// Folds strings for comparison, and counts their characters.

const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/** Whether the text has only printable ASCII characters, so that there is little to fold. */
export const isPlainAscii = (text: string): boolean => PLAIN_ASCII.test(text);

/** The text as search compares it: lower case, without accents, with compatibility forms and the tugrik sign of `USD₮` replaced. */
export function foldText(text: string): string {
  if (isPlainAscii(text)) {
    return text.toLowerCase();
  }
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll("₮", "t");
}

/** The number of characters as people and JSON Schema count them. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
  }
  return count;
}

// Splits strings into the words that search compares.
import { foldText, isPlainAscii } from "../text.ts";

/** Latin letter → the letters that look like it, in lower case. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: "ɑαаᗅꓮꭺ",
  b: "ƅβвьᏼᑲᖯᗷꓐꞵꮟ",
  c: "ςсᴄⲥꓚꮯ",
  d: "ԁᑯᗞᗪꓒꓓꭰꮷ",
  e: "εеҽⴹꓰꬲꭼ",
  f: "ϝքᖴẝꓝꞙꬵ",
  g: "ƍɡԍցᏻᶃꓖꮐ",
  h: "ηнһհᕼⲏꓧꮋꮒ",
  i: "ıɩɪιіӏꙇꭵ",
  j: "ʝϳјᒍꓙꭻ",
  k: "κкᛕⲕꓗꮶ",
  l: "ǀᒪᛁⲓⳑⵏꓡꓲꮮ",
  m: "μϻмᗰᛖⲙꓟꮇ",
  n: "ոռⲛꓠ",
  o: "οσоօଠഠဝჿዐᴏᴑⲟⵔꓳꬽ",
  p: "ρрᑭⲣꓑꮲ",
  q: "ԛգզⵕ",
  r: "ʀгᖇᴦⲅꓣꭇꭈꭱꮁꮢ",
  s: "ƽѕտꓢꜱꮥꮪ",
  t: "τтⲧꓔꭲ",
  u: "ʋυսሀᑌᴜꓴꞟꭎꭒ",
  v: "νѵᐯᴠⴸꓦꛟꮩ",
  w: "ɯѡԝաᴡꓪꮃꮤ",
  x: "χхᕁᕽᚷⲭⵝꓫꭓ",
  y: "ɣʏγуүყᶌỿⲩꓬꭚꭹꮍ",
  z: "ζᴢꓜꮓ",
};

const LATIN_BY_LETTER: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKALIKES).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)),
);

/** A folded word in Latin letters, if all of its other letters look like Latin ones; otherwise the word itself. */
function latinLookalike(word: string): string {
  if (isPlainAscii(word)) {
    return word;
  }
  const latin = Array.from(word, (letter) => (letter < "\x80" ? letter : (LATIN_BY_LETTER.get(letter) ?? ""))).join("");
  return latin.length === [...word].length ? latin : word;
}

const ASCII_WORD = /[a-z0-9]+/g;
// Letters and digits, or pictographs and other symbols, which may be glued to them.
const WORD = /[\p{L}\p{N}]+|(?:(?!\p{ASCII})[^\p{L}\p{N}\p{P}\p{Z}\p{C}])+/gu;

/** The words of a string, folded, and in Latin letters if they look like that; at most `wordsMax` of them. */
export function wordsOf(text: string, wordsMax = Number.POSITIVE_INFINITY): string[] {
  const folded = foldText(text);
  if (isPlainAscii(folded)) {
    return (folded.match(ASCII_WORD) ?? []).slice(0, wordsMax);
  }
  return (folded.match(WORD) ?? []).slice(0, wordsMax).map(latinLookalike);
}

/** A symbol to the letter, apart from case and the tugrik sign: with everything else that folding would remove. */
export const exactSymbol = (symbol: string): string => symbol.toLowerCase().replaceAll("₮", "t");

/** Whether a symbol is one word, without signs, accents and letters that only look like Latin ones. */
export function isPlainSymbol(symbol: string): boolean {
  const words = wordsOf(symbol);
  return words.length === 1 && words[0] === exactSymbol(symbol);
}

/** Whether any word of the string has letters that only look like Latin ones. */
export const hasLookalikes = (text: string): boolean =>
  !isPlainAscii(text) && (foldText(text).match(WORD) ?? []).some((word) => latinLookalike(word) !== word);

const PLAIN_WORDS: ReadonlyMap<string, string> = new Map([
  ["bitcoin", "btc"],
  ["ether", "eth"],
  ["ethereum", "eth"],
]);

/** The one word that stands for all words with the same meaning: `btc` for `bitcoin`. */
export const plainWord = (word: string): string => PLAIN_WORDS.get(word) ?? word;

// A string that is the same for words in any order. Its leading space distinguishes it from any phrase.
const anyOrder = (words: readonly string[]): string => ` ${words.map(plainWord).sort().join(" ")}`;

/** All forms in which a phrase of these words is indexed: as it is, with common words, without spaces, in any order. */
export function spellingsOf(words: readonly string[], phrase = words.join(" ")): readonly string[] {
  if (words.length === 1) {
    const plain = plainWord(phrase);
    return plain === phrase ? [phrase] : [phrase, plain];
  }
  return [phrase, words.join(""), anyOrder(words)];
}

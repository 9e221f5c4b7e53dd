// Splits strings into the words that search compares.
import { foldText } from "../text.ts";

// ASCII letters and digits; beyond ASCII, everything except general punctuation counts as a letter.
const isWordCode = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f));

/** The words of a string, folded; at most `wordsMax` of them. */
export function wordsOf(text: string, wordsMax = Number.POSITIVE_INFINITY): string[] {
  const folded = foldText(text);
  const words: string[] = [];
  let start = -1;
  for (let at = 0; at <= folded.length && words.length < wordsMax; at += 1) {
    const inWord = at < folded.length && isWordCode(folded.charCodeAt(at));
    if (inWord && start === -1) {
      start = at;
    } else if (!inWord && start !== -1) {
      words.push(folded.slice(start, at));
      start = -1;
    }
  }
  return words;
}

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

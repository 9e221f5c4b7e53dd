// Estimates how many guesses a password takes, as zxcvbn does: it is split into parts that attackers try, such as common passwords,
// keyboard rows and repetitions, in the cheapest way for them. The time is bounded: at most about 8,000 segments for any input.
// https://www.usenix.org/conference/usenixsecurity16/technical-sessions/presentation/wheeler
import { readFileSync } from "node:fs";

// Made by scripts/common-passwords.ts: the most frequent first, one a line.
const COMMON_FILE = new URL("../../gen/common-passwords.txt", import.meta.url);

// Long enough for any password to pass: each letter that nothing before it predicts costs an attacker a factor of ten.
const LENGTH_MAX = 128;
// Shorter words are no cheaper to guess than their letters.
const WORD_LENGTH_MIN = 4;
const ROW_LENGTH_MIN = 3;

// Tries as powers of ten.
const LETTER = 1;
const REPETITION = 1;
const ROW = 1.5;
const YEAR = 2;
const CONTEXT_WORD = 1;
const PHRASE = 3;

// Keyboard rows and the alphabet. They are read in both directions, and wrap around at the end.
const ROWS = [
  "abcdefghijklmnopqrstuvwxyz",
  "0123456789",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertzuiop",
  "azertyuiop",
  "!@#$%^&*()",
].flatMap((row) => [row, [...row].reverse().join("")]);

// Passwords that are missing from the list because few sites require so many characters: combined words, and two keyboard rows alternating.
const PHRASES = `contrasena thisismypassword changemenow changethis welcomeback superuser 1q2w3e4r5t6y7u8i9o0p q1w2e3r4t5y6u7i8o9p0
  a1b2c3d4e5f6 1a2b3c4d5e6f iloveyousomuch ilovemyfamily jesuslovesme manchesterunited correcthorsebatterystaple godisgood
  thequickbrownfox thequickbrownfoxjumpsoverthelazydog loremipsum loremipsumdolor springtime`.split(/\s+/);

// Substitute character → the letter that it stands for.
const LOOKALIKES: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "8": "b",
  "(": "c",
  "3": "e",
  "€": "e",
  "6": "g",
  "9": "g",
  "1": "i",
  "!": "i",
  "|": "i",
  l: "i",
  "0": "o",
  $: "s",
  "5": "s",
  "+": "t",
  "7": "t",
  "2": "z",
};

/** The string as it is compared: without capital letters, accents, blanks and invisible characters. */
export const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f\p{Z}\p{C}\s]+/gu, "")
    .normalize("NFKC")
    .toLowerCase()
    .slice(0, LENGTH_MAX);

const folded = (text: string): string => text.replaceAll(/[@48(3€691!|l0$5+72]/g, (letter) => LOOKALIKES[letter] ?? letter);

// Folded word → the power of ten of the guesses that find it. Loaded for the first password.
let commonWords: ReadonlyMap<string, number> | undefined;

function readCommonWords(): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  const add = (word: string, cost: number): void => {
    if (word.length >= WORD_LENGTH_MIN && !costs.has(word)) {
      costs.set(word, cost);
    }
  };
  for (const [index, word] of folded(readFileSync(COMMON_FILE, "utf8")).trimEnd().split("\n").entries()) {
    add(word, Math.max(LETTER, Math.log10(index + 1)));
  }
  for (const phrase of PHRASES) {
    add(folded(phrase), PHRASE);
  }
  return costs;
}

/**
 * How many guesses a folded string takes, as a power of ten, for somebody who tries common passwords and the folded `contextWords` first.
 * Looks at the first 128 letters only.
 */
export function guessesLog10(text: string, contextWords: readonly string[]): number {
  commonWords ??= readCommonWords();
  const words = folded(text);
  const context = new Set(contextWords.map(folded));
  // For each position, the fewest guesses for everything before it.
  const best = Array.from({ length: text.length + 1 }, (_, index) => index * LETTER);
  for (let start = 0; start < text.length; start++) {
    const offer = (end: number, cost: number | undefined): void => {
      if (cost !== undefined) {
        best[end] = Math.min(best[end] as number, (best[start] as number) + cost);
      }
    };
    offer(start + 1, LETTER);
    const rowEnd = start + rowLength(text, start);
    for (let end = start + ROW_LENGTH_MIN; end <= rowEnd; end++) {
      offer(end, ROW);
    }
    if (/^(?:19|20)\d\d/.test(text.slice(start, start + 4))) {
      offer(start + 4, YEAR);
    }
    for (let end = start + 2; end <= text.length; end++) {
      const word = words.slice(start, end);
      offer(end, context.has(word) ? CONTEXT_WORD : commonWords.get(word));
      // A repetition may overlap the string that it repeats.
      offer(end, words.indexOf(word) < start ? REPETITION : undefined);
    }
  }
  return best[text.length] as number;
}

// How many letters from there on follow a row.
function rowLength(text: string, start: number): number {
  let longest = 0;
  for (const row of ROWS) {
    const from = row.indexOf(text.charAt(start));
    let length = from < 0 ? 0 : 1;
    while (length > 0 && text[start + length] === row[(from + length) % row.length]) {
      length++;
    }
    longest = Math.max(longest, length);
  }
  return longest;
}

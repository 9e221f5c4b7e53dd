// Reads a query as people type it: its words, in the forms in which the directory and a station's texts are compared. Pure.
import { codeOfCountry, plainName } from "../country/country-names.ts";
import type { NativeCountryNames } from "../country/native-country-names.ts";

/** A query, or a part of one, as words in lower case. */
export type Words = readonly string[];

/** A country that the query names, and its other words. */
export interface NamedCountry {
  readonly code: string;
  readonly rest: Words;
}

/** A shorter word with one letter changed is often another word. */
export const MISTYPED_LETTERS_MIN = 4;
/** Further words are ignored. */
const WORDS_MAX = 8;
const COUNTRY_WORDS_MAX = 3;
// Most shorter names and codes are words too, such as `in`, `can` and `per`. In other scripts, names are short: `日本`, `مصر`.
const COUNTRY_LETTERS_MIN = 4;
const LATIN = /[\p{Script=Latin}\p{N}]/u;
const SHORT_COUNTRIES: ReadonlySet<string> = new Set(["uk", "usa", "uae"]);

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const APOSTROPHES = /['’‘`´]/g;

/** The words of a query: runs of letters and digits. `80's` is one word, and `hip-hop` two. */
export const wordsOf = (query: string): Words =>
  (query.normalize("NFC").replace(APOSTROPHES, "").toLowerCase().match(WORD) ?? []).slice(0, WORDS_MAX);

/** The text as it is compared: in lower case, without accents and apostrophes, its words separated by one space. */
export function compared(text: string): string {
  const bare = /^[\x20-\x7e]*$/.test(text) ? text : text.normalize("NFKD").replace(/\p{Mn}/gu, "");
  return (bare.replace(APOSTROPHES, "").toLowerCase().match(WORD) ?? []).join(" ");
}

/** The country that the last or the first words name, if other words remain. */
export function namedCountry(words: Words, countryNames: NativeCountryNames): NamedCountry | undefined {
  for (let length = Math.min(COUNTRY_WORDS_MAX, words.length - 1); length > 0; length -= 1) {
    for (const [name, rest] of [
      [words.slice(-length), words.slice(0, -length)],
      [words.slice(0, length), words.slice(length)],
    ] as const) {
      const text = name.join(" ");
      const code =
        text.length >= COUNTRY_LETTERS_MIN || SHORT_COUNTRIES.has(text) || !LATIN.test(text)
          ? (codeOfCountry(text) ?? countryNames.get(plainName(text)))
          : undefined;
      if (code !== undefined) {
        return { code, rest };
      }
    }
  }
  return undefined;
}

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** The same words with numbers from zero to ten as digits: stations are named `Radio 4`. */
export const inDigits = (words: Words): Words =>
  words.map((word) => (NUMBERS.includes(word) ? String(NUMBERS.indexOf(word)) : word));

const UMLAUTS = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" };

/** The same words with umlauts written out, or the other way around: `köln` and `koeln`. At most one spelling. */
export function otherSpellings(words: Words): readonly Words[] {
  const written = words.map((word) => word.replace(/[äöüß]/g, (letter) => UMLAUTS[letter as keyof typeof UMLAUTS]));
  const isWritten = written.some((word, place) => word !== words[place]);
  // Accents do not matter in names, so `koln` finds `Köln`.
  const spelling = isWritten ? written : words.map((word) => word.replace(/([aou])e/g, "$1"));
  return spelling.some((word, place) => word !== words[place]) ? [spelling] : [];
}

// Translates a caller's country for the directory, which compares names character by character and ignores the case of codes.
import { codeOfCountry, codesOfPart, isEnglishName, plainName } from "./country-names.ts";
import { DIRECTORY_NAMES } from "./directory-names.ts";
import { nativeCountryNames } from "./native-country-names.ts";

/** What to request from the directory, and which of its stations match. */
export interface CountryFilter {
  /** Parameters of its search. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The codes that a station may have; undefined if the filter matches no country, so that the directory alone decides. */
  readonly codes: ReadonlySet<string> | undefined;
}

/** A country in the directory. */
interface Listed {
  readonly code: string;
  /** Its name, letter by letter. */
  readonly letters: readonly string[];
  /** The same without case and accents, with the same indexes: no letter of these names turns into several. */
  readonly bareLetters: readonly string[];
}

const bare = (letter: string): string => letter.normalize("NFD").charAt(0).toLowerCase();

const LISTED: readonly Listed[] = [...DIRECTORY_NAMES].map(([code, name]) => {
  const letters = Array.from(name);
  return { code, letters, bareLetters: letters.map(bare) };
});

/**
 * The filter for a country's name, its code or a substring of its English name, in upper or lower case; `text` must not be blank. A whole
 * name or code takes precedence, so `niger` is not Nigeria, and `kina`, which is China in Swedish, is not Burkina Faso. In a substring, `%`
 * stands for any characters and `_` for any one character. `countrycode` is the code requested in addition, in upper case.
 */
export async function countryFilter(text: string, countrycode: string | undefined): Promise<CountryFilter> {
  const code = /[%_]/.test(text) ? undefined : (codeOfCountry(text) ?? (await codeOfNativeName(text)));
  return code === undefined ? partFilter(text, countrycode) : codeFilter(code, countrycode);
}

// An English name of several countries, such as `congo`, means all of them, although in Spanish it is the name of only one.
const codeOfNativeName = async (text: string): Promise<string | undefined> =>
  isEnglishName(text) ? undefined : (await nativeCountryNames()).get(plainName(text));

function partFilter(text: string, countrycode: string | undefined): CountryFilter {
  const pieces = text.split("%").map((piece) => Array.from(piece, bare));
  const found = LISTED.flatMap((country) => {
    const part = partOf(country, pieces);
    return part === undefined ? [] : [{ code: country.code, part }];
  });
  // A substring that occurs only in names from other lists can still find one country in the directory.
  const codes = found.length > 0 ? found.map(({ code }) => code) : codesOfPart(text);
  const [first, second] = codes;
  if (first === undefined) {
    return { parameters: { country: text }, codes: undefined };
  }
  if (second === undefined) {
    return codeFilter(first, countrycode);
  }
  return found.length > 0
    ? { parameters: { country: patternOf(found.map(({ part }) => part)) }, codes: new Set(codes) }
    : { parameters: { country: text }, codes: undefined };
}

function codeFilter(code: string, countrycode: string | undefined): CountryFilter {
  const codes = new Set([code]);
  if (countrycode === undefined || countrycode === code) {
    return { parameters: { countrycode: code }, codes };
  }
  // No station is in two countries. The name must match exactly, because the United Kingdom's name contains "Ireland".
  return { parameters: { country: DIRECTORY_NAMES.get(code) ?? code, countryExact: "true" }, codes };
}

/** The pattern as it occurs in this country's name, with the name's own capitals. Undefined if it does not occur. */
function partOf({ letters, bareLetters }: Listed, pieces: readonly (readonly string[])[]): string | undefined {
  let from = 0;
  const parts: string[] = [];
  // Matching each piece between two `%` at its earliest position is enough, because the whole may begin and end anywhere.
  for (const piece of pieces) {
    const at = indexOfPiece(bareLetters, piece, from);
    if (at < 0) {
      return undefined;
    }
    from = at + piece.length;
    parts.push(piece.map((letter, index) => (letter === "_" ? "_" : letters[at + index])).join(""));
  }
  return parts.join("%");
}

function indexOfPiece(letters: readonly string[], wanted: readonly string[], from: number): number {
  for (let at = from; at + wanted.length <= letters.length; at += 1) {
    if (wanted.every((letter, index) => letter === "_" || letter === letters[at + index])) {
      return at;
    }
  }
  return -1;
}

/** One pattern for substrings of the same length: `_` where they differ. */
function patternOf(parts: readonly string[]): string {
  const [first = "", ...others] = parts.map((part) => Array.from(part));
  return Array.from(first, (letter, index) => (others.every((other) => other[index] === letter) ? letter : "_")).join("");
}

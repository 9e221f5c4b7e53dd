// The requests to the directory that a query needs. The directory compares one text with one field, so a query in several words takes
// several requests. They are made in rounds: a round is made only if the rounds before it found too few stations. Pure.
import type { NativeCountryNames } from "../country/native-country-names.ts";
import { otherForms, plainWords } from "./compounds.ts";
import { inDigits, MISTYPED_LETTERS_MIN, type NamedCountry, namedCountry, otherSpellings, type Words } from "./query-words.ts";

/** The text that fields must contain, as parameters of the directory's search. */
export type FieldTexts = Readonly<Record<string, string>>;

/** How a word may occur in a station. */
export type Closeness = "part" | "one mistake";

export interface Round {
  /** The requests to the directory, which are sent at the same time. */
  readonly requests: readonly FieldTexts[];
  /** The words that a station must have: all of one of these lists. With a country's code, the station must be in that country. */
  readonly readings: readonly Reading[];
  readonly closeness: Closeness;
}

export interface Reading {
  readonly words: Words;
  readonly countrycode?: string;
}

/** How many other spellings of a term are searched for in several fields. */
const FORMS_IN_SEVERAL_FIELDS_MAX = 2;

/** The words in this order, with anything between them, and between letters and digits: `wdr2` finds `WDR 2`. */
const inOrder = (words: Words): string =>
  words.map((word) => word.replace(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu, "%")).join("%");

/** The words with one character between them: `hip_hop` finds `hip hop` and `hip-hop`. */
const asPhrase = (words: Words): string => words.join("_");

const named = (words: Words): FieldTexts => ({ name: inOrder(words) });
const tagged = (words: Words): FieldTexts => ({ tagList: words.join(",") });
const inState = (words: Words): FieldTexts => ({ state: asPhrase(words) });

const hasSingleLetter = (words: Words): boolean => words.length > 1 && words.some((word) => word.length === 1);

/** The query as a name or as tags. */
export function firstRound(words: Words): Round {
  const spellings = [words, ...otherSpellings(words)];
  const names = spellings.flatMap((spelling) => [asPhrase(spelling), inOrder(spelling)]);
  const squeezed = hasSingleLetter(words) ? [words.join("")] : [];
  const forms = otherForms(words);
  const phrases = forms.map(asPhrase);
  const tags = [asPhrase(words), words.join(","), ...squeezed, ...phrases];
  return {
    requests: [
      ...[...new Set([...names, ...squeezed, ...phrases])].map((name) => ({ name })),
      ...[...new Set(tags)].map((tagList) => ({ tagList })),
    ],
    readings: [...spellings, ...forms.map(plainWords)].map((spelling) => ({ words: spelling })),
    closeness: "part",
  };
}

/** The words in several fields: `jazz paris`, `rock germany`. Undefined for a single word. */
export function secondRound(words: Words, countryNames: NativeCountryNames): Round | undefined {
  if (words.length < 2) {
    return undefined;
  }
  const country = namedCountry(words, countryNames);
  const [head, last] = [words.slice(0, -1), words.slice(-1)];
  const [first, tail] = [words.slice(0, 1), words.slice(1)];
  const inPlaces =
    country === undefined
      ? [
          { ...tagged(head), ...inState(last) },
          { ...named(head), ...inState(last) },
          { ...inState(first), ...tagged(tail) },
        ]
      : inCountry(country, [named(country.rest), tagged(country.rest)]);
  const requests = [
    ...inPlaces,
    { ...named(head), ...tagged(last) },
    { ...tagged(head), ...named(last) },
    named([...last, ...head]),
    ...(words.length > 2 ? [{ ...named(first), ...tagged(tail) }, named([...tail, ...first])] : []),
  ];
  const forms = otherForms(words)
    .filter((form) => form.length > 1)
    .slice(0, FORMS_IN_SEVERAL_FIELDS_MAX)
    .map((form) => roundOfForm(form, countryNames));
  return {
    requests: [...requests, ...forms.flatMap((form) => form.requests)],
    readings: [...readingsOf(words, country), ...forms.flatMap((form) => form.readings)],
    closeness: "part",
  };
}

// For one of `otherForms`: searches for its term in the tags, and for the other words in the tags too, or as the region or the country.
function roundOfForm(words: Words, countryNames: NativeCountryNames): Pick<Round, "requests" | "readings"> {
  const country = namedCountry(words, countryNames);
  const [head, last] = [words.slice(0, -1), words.slice(-1)];
  return {
    requests:
      country === undefined ? [{ ...tagged(head), ...inState(last) }, tagged(words)] : inCountry(country, [tagged(country.rest)]),
    readings: readingsOf(plainWords(words), country && { ...country, rest: plainWords(country.rest) }),
  };
}

const inCountry = ({ code }: NamedCountry, texts: readonly FieldTexts[]): readonly FieldTexts[] =>
  texts.map((each) => ({ ...each, countrycode: code }));

const readingsOf = (words: Words, country: NamedCountry | undefined): readonly Reading[] =>
  country === undefined ? [{ words }] : [{ words }, { words: country.rest, countrycode: country.code }];

/** Numbers as digits, and words with a typing mistake between their first and last two letters. Undefined if there are none. */
export function lastRound(words: Words, countryNames: NativeCountryNames): Round | undefined {
  const digits = inDigits(words);
  const isNumbered = digits.some((word, place) => word !== words[place]);
  const loose = digits.map(loosely);
  const isLoose = loose.some((pattern) => pattern.includes("%"));
  if (!isNumbered && !isLoose) {
    return undefined;
  }
  const country = namedCountry(digits, countryNames);
  const requests = [...(isNumbered ? [named(digits)] : []), ...(isLoose ? looseRequests(loose, country) : [])];
  return { requests, readings: readingsOf(digits, country), closeness: "one mistake" };
}

function loosely(word: string): string {
  const letters = [...word];
  return letters.length < MISTYPED_LETTERS_MIN ? word : `${letters.slice(0, 2).join("")}%${letters.slice(-2).join("")}`;
}

function looseRequests(loose: readonly string[], country: NamedCountry | undefined): readonly FieldTexts[] {
  const whole = fieldsWith(loose);
  if (country !== undefined) {
    return [...whole, ...inCountry(country, fieldsWith(country.rest.map(loosely)))];
  }
  const [head, last = ""] = [loose.slice(0, -1), loose.at(-1)];
  const tagList = head.join(",");
  return head.length === 0 ? whole : [...whole, { tagList, state: last }, { tagList, name: last }];
}

const fieldsWith = (patterns: readonly string[]): readonly FieldTexts[] => [
  { name: patterns.join("%") },
  { tagList: patterns.join(",") },
];

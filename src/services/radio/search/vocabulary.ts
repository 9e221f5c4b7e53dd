// What the directory's words mean: its lists of tags, languages, regions and countries, with the number of stations of each. They are
// read at most once a day.
import type { Clock } from "../../../runtime/clock.ts";
import { nextTurn } from "../../../runtime/event-loop-turn.ts";
import { isOneEditAway } from "../../../runtime/one-edit.ts";
import { codeOfCountry, plainName } from "../country/country-names.ts";
import { DIRECTORY_NAMES } from "../country/directory-names.ts";
import { type NativeCountryNames, nativeCountryNames } from "../country/native-country-names.ts";
import type { Directory } from "../directory.ts";
import { knownText } from "../known-text.ts";
import { rowsOf } from "../station.ts";
import { compared, spelledWords, termKey, type Words } from "./words.ts";

/** A list has no more rows than this, of texts of at most 100 characters. */
const ROWS_MAX = 10_000;
const TEXT_LENGTH_MAX = 100;
const KEPT_MS = 24 * 3_600_000;
/** When a list that could not be read is read again. */
const RETRY_MS = 30_000;
/** The longest that a query waits for the first lists. */
const WAIT_MS = 3000;
const ROWS_PER_TURN = 200;
const SPELLINGS_MAX = 6;

/** A field of the directory that the vocabulary lists. */
export type Field = "tag" | "state" | "language";

/** What a term is called in one field: in the directory's spelling, in lower case → the number of stations. */
export interface Spellings {
  readonly counts: Map<string, number>;
  stations: number;
}

/** What a term is called in each field where it occurs. */
export type Term = { [Name in Field]?: Spellings };

const NAMES = ["tags", "languages", "states", "countries"] as const;
type Name = (typeof NAMES)[number];

interface Row {
  readonly text: string;
  /** An ISO code: of the language, or of the country. */
  readonly code: string;
  readonly stations: number;
}

type Lists = Readonly<Record<Name, readonly Row[]>>;
const NO_LISTS: Lists = { tags: [], languages: [], states: [], countries: [] };

export class Vocabulary {
  readonly isComplete: boolean;
  readonly #terms = new Map<string, Term>();
  readonly #stationsOfCountry = new Map<string, number>();
  readonly #countryNames: NativeCountryNames;
  readonly #countryWords = new Set<string>();
  /** Words by length → how often they occur. */
  readonly #words = new Map<number, Map<string, number>>();

  private constructor(lists: Lists, countryNames: NativeCountryNames) {
    this.isComplete = NAMES.every((name) => lists[name].length > 0);
    this.#countryNames = countryNames;
  }

  static async from(lists: Lists): Promise<Vocabulary> {
    const countryNames = await nativeCountryNames();
    const vocabulary = new Vocabulary(lists, countryNames);
    for (const name of NAMES) {
      for (const [index, row] of lists[name].entries()) {
        if (index % ROWS_PER_TURN === 0) {
          await nextTurn();
        }
        vocabulary.#add(name, row);
      }
    }
    const english = [...DIRECTORY_NAMES].map(([code, name]) => [plainName(name), code] as const);
    for (const [name, code] of [...english, ...countryNames]) {
      const words = compared(name).split(" ");
      for (const word of words) {
        vocabulary.#countryWords.add(word);
      }
      if (words.length === 1) {
        vocabulary.#addWord(name, vocabulary.stationsIn(code));
      }
    }
    return vocabulary;
  }

  /** What these words mean as one term, other than a country. */
  term(words: Words): Term {
    return this.#terms.get(termKey(words.join(" "))) ?? {};
  }

  /** How many stations have these words as one term. */
  stations(words: Words): number {
    return Object.values(this.term(words)).reduce((sum, { stations }) => sum + stations, 0);
  }

  /** The code of the country that these words name. */
  country(words: Words): string | undefined {
    const text = words.join(" ");
    if (text.length < COUNTRY_LETTERS_MIN && !SHORT_COUNTRIES.has(text) && LATIN.test(text)) {
      return undefined;
    }
    const english = PARTS_OF_COUNTRIES.get(text) ?? codeOfCountry(text) ?? codeOfCountry(words.join(" and "));
    const native = this.#countryNames.get(plainName(text));
    // `Indie` is India in Polish, but a tag in every language.
    return english ?? ((this.term(words).tag?.stations ?? 0) < this.stationsIn(native) * TAG_SHARE ? native : undefined);
  }

  /** At least 1 for a country. */
  stationsIn(country: string | undefined): number {
    return country === undefined ? 0 : Math.max(1, this.#stationsOfCountry.get(country) ?? 0);
  }

  /** How often the word occurs. */
  count(word: string): number {
    return this.#words.get(compared(word).length)?.get(compared(word)) ?? 0;
  }

  /** The most frequent word that differs by one typing mistake from this one, which hardly occurs itself. */
  correction(word: string): string | undefined {
    const typed = compared(word);
    let best: string | undefined;
    let most = Math.max(CORRECTED_MIN, this.count(word) * RARER) - 1;
    if (typed.length === MISTYPED_LETTERS_MIN - 1) {
      most = Math.max(most, COMMON_MIN);
    }
    const isWord = typed.length < MISTYPED_LETTERS_MIN - 1 || this.#countryWords.has(typed);
    for (const length of isWord
      ? []
      : [typed.length - 1, typed.length, typed.length + 1].filter((one) => one >= MISTYPED_LETTERS_MIN)) {
      for (const [other, count] of this.#words.get(length) ?? []) {
        if (count > most && isOneEditAway(typed, other)) {
          [best, most] = [other, count];
        }
      }
    }
    return best;
  }

  #add(name: Name, { text, code, stations }: Row): void {
    if (name === "countries") {
      this.#stationsOfCountry.set(code, (this.#stationsOfCountry.get(code) ?? 0) + stations);
      return;
    }
    const field = name === "tags" ? "tag" : name === "languages" ? "language" : "state";
    this.#addSpelling(text, field, text, stations);
    const own = field === "language" && code !== "" ? nameOfLanguage(code) : undefined;
    if (own !== undefined) {
      this.#addSpelling(own, field, text, stations);
    }
    const words = field === "language" ? [] : spelledWords(text);
    for (const word of words.length > 1 ? new Set(words) : []) {
      if (word.length > 1) {
        this.#addSpelling(word, field, word, stations);
      }
    }
  }

  #addSpelling(called: string, field: Field, spelling: string, stations: number): void {
    const key = termKey(called);
    const term = this.#terms.get(key) ?? {};
    this.#terms.set(key, term);
    const known = term[field] ?? { counts: new Map(), stations: 0 };
    term[field] = known;
    known.stations += stations;
    if (known.counts.has(spelling) || known.counts.size < SPELLINGS_MAX) {
      known.counts.set(spelling, (known.counts.get(spelling) ?? 0) + stations);
    }
    this.#addWord(compared(called), stations);
  }

  #addWord(word: string, stations: number): void {
    if (word.length > 1 && !word.includes(" ")) {
      const ofLength = this.#words.get(word.length) ?? new Map<string, number>();
      this.#words.set(word.length, ofLength);
      ofLength.set(word, (ofLength.get(word) ?? 0) + stations);
    }
  }
}

/** A second spelling counts if it has this part of the first one's stations. */
const SECOND_SPELLING_SHARE = 0.15;

/** Patterns for the spellings, the most frequent first: one for those of the same length, `_` where they differ. */
export function patternsOf(spellings: Spellings | undefined): readonly string[] {
  const byLength = new Map<number, { pattern: readonly string[]; stations: number }>();
  for (const [text, stations] of spellings?.counts ?? []) {
    // A character that is a wildcard or separates members stands for any one.
    const letters = [...text.replace(/[%_\\,]/g, "_")];
    const same = byLength.get(letters.length) ?? { pattern: letters, stations: 0 };
    const pattern = same.pattern.map((letter, index) => (letter === letters[index] ? letter : "_"));
    byLength.set(letters.length, { pattern, stations: same.stations + stations });
  }
  const patterns = [...byLength.values()].sort((one, other) => other.stations - one.stations);
  const least = (patterns[0]?.stations ?? 0) * SECOND_SPELLING_SHARE;
  return patterns.filter(({ stations }) => stations >= least).map(({ pattern }) => pattern.join(""));
}

/** A shorter word with one letter changed is often another word. */
const MISTYPED_LETTERS_MIN = 4;
const CORRECTED_MIN = 5;
/** A word of three letters is only corrected to a word as common as this: `jaz`. */
const COMMON_MIN = 1000;
const RARER = 20;

// Most shorter names and codes are words too, such as `in`, `can` and `per`. In other scripts, names are short: `日本`, `مصر`.
const COUNTRY_LETTERS_MIN = 4;
const TAG_SHARE = 0.15;
const LATIN = /[\p{Script=Latin}\p{N}]/u;
const SHORT_COUNTRIES: ReadonlySet<string> = new Set(["uk", "usa", "uae"]);
/** What people call a country, or a part of one, that is in no list. */
const PARTS_OF_COUNTRIES: ReadonlyMap<string, string> = new Map([
  ...["england", "scotland", "wales"].map((part) => [part, "GB"] as const),
  ...([
    ["korea", "KR"],
    ["한국", "KR"],
    ["congo", "CD"],
    ["bosnia", "BA"],
    ["emirates", "AE"],
  ] as const),
]);

// What its own speakers call a language: `Deutsch`, `español`.
function nameOfLanguage(code: string): string | undefined {
  try {
    return new Intl.DisplayNames([code], { type: "language", fallback: "none" }).of(code);
  } catch {
    return undefined;
  }
}

function rowsFrom(name: Name, json: unknown): Row[] {
  return rowsOf(json)
    .slice(0, ROWS_MAX)
    .flatMap((row) => {
      const text = knownText(row.name).toLowerCase();
      const code = knownText(name === "countries" ? row.iso_3166_1 : name === "languages" ? row.iso_639 : "");
      const stations = Number(row.stationcount);
      const isKnown = text !== "" && text.length <= TEXT_LENGTH_MAX && Number.isSafeInteger(stations) && stations > 0;
      return isKnown ? [{ text, code: name === "countries" ? code.toUpperCase() : code, stations }] : [];
    });
}

export interface VocabularyKeeper {
  /**
   * The newest vocabulary. Waits for the first one, at most three seconds and half of the call's own time, and without it returns one
   * of countries alone.
   */
  get(timeoutMs: number | undefined): Promise<Vocabulary>;
}

/** Keeps the vocabulary: reads it for the first query, and again in the background of one a day later. */
export function keepVocabulary(directory: Directory, clock: Clock): VocabularyKeeper {
  let lists = NO_LISTS;
  const readAtMs = new Map<Name, number>();
  let current: Promise<Vocabulary> | undefined;
  let reading: Promise<void> | undefined;
  let nextAtMs = Number.NEGATIVE_INFINITY;

  const readList = async (name: Name): Promise<void> => {
    if (clock.monotonicMs() - (readAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < KEPT_MS) {
      return;
    }
    const path = `/json/${name}?order=stationcount&reverse=true&offset=0&limit=${ROWS_MAX}&hidebroken=true`;
    const parse = (json: unknown) => rowsFrom(name, json);
    const { rows, ageSeconds } = await directory.query({ path, parse, random: true }, OWN_CALL);
    // A directory without stations is a fault of the mirror.
    if (rows.length > 0 && ageSeconds === undefined) {
      lists = { ...lists, [name]: rows };
      readAtMs.set(name, clock.monotonicMs());
    }
  };

  const read = async (): Promise<void> => {
    await Promise.allSettled(NAMES.map(readList));
    const isWhole = NAMES.every((name) => lists[name].length > 0);
    const oldestMs = Math.min(...NAMES.map((name) => readAtMs.get(name) ?? Number.NEGATIVE_INFINITY));
    nextAtMs = isWhole ? Math.max(oldestMs + KEPT_MS, clock.monotonicMs() + RETRY_MS) : clock.monotonicMs() + RETRY_MS;
    const built = await Vocabulary.from(lists);
    current = Promise.resolve(built);
    reading = undefined;
  };

  const refresh = (): void => {
    if (reading === undefined && clock.monotonicMs() >= nextAtMs) {
      reading = read();
    }
  };

  return {
    async get(timeoutMs = Number.POSITIVE_INFINITY) {
      refresh();
      if (current === undefined && reading !== undefined) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const cancel = clock.after(Math.min(WAIT_MS, timeoutMs / 2), resolve);
        await Promise.race([reading, promise]);
        cancel();
      }
      return current ?? Vocabulary.from(NO_LISTS);
    },
  };
}

const OWN_CALL = { signal: new AbortController().signal, timeoutMs: () => undefined };

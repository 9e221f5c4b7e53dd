// Finds tokens by symbol and name, as people type them. A query is tried in several ways: as a whole symbol or name, as a symbol
// or name on a chain, and as words in any order. If nothing matches, mistyped words are corrected, and then words are left out.
// Tokens are numbered best first, so within a rank the results are in the order of their numbers.
import { chainIdOf, mistypedChainId } from "../../chains/chains.ts";
import type { Yielder } from "../cooperative-yield.ts";
import { FoundTokens } from "./found-tokens.ts";
import type { Matches } from "./match-page.ts";
import { POPULAR_NAMES, popularNamesLike } from "./popular-names.ts";
import { type QueryReading, readQuery, withoutFillers } from "./query-reading.ts";
import { LEVEL, READING, SCOPE, WHOLE, wholeRank, wordsRank } from "./search-rank.ts";
import { buildSearchTexts, type SearchedToken, type SearchTexts } from "./search-texts.ts";
import { createWordFinder, type FindWords } from "./word-finder.ts";
import { createWordMatches } from "./word-matches.ts";
import { plainWord, spellingsOf } from "./words.ts";

// A single letter occurs in too many words.
const PART_LETTERS_MIN = 2;

/**
 * Builds the index of `count` tokens, and yields to the event loop as it goes. `tokenAt` is called once for each token, and its result
 * is not kept.
 */
export async function buildSearchIndex(
  count: number,
  tokenAt: (number: number) => SearchedToken,
  turns: Yielder,
): Promise<SearchIndex> {
  const found = new FoundTokens(count);
  const registered = (number: number): SearchedToken => {
    const token = tokenAt(number);
    found.register(number, token);
    return token;
  };
  const texts = await buildSearchTexts(count, registered, turns);
  return new SearchIndex(texts, createWordFinder(texts.vocabulary, count), found);
}

/** Finds tokens by symbol and name. */
export class SearchIndex {
  readonly #wholeTexts: SearchTexts["wholeTexts"];
  readonly #vocabulary: SearchTexts["vocabulary"];
  readonly #findWords: FindWords;
  readonly #found: FoundTokens;
  #matches: ReturnType<typeof createWordMatches>;
  // Digits are read as a chain's id only if a list has that chain, because they may be part of a name.
  readonly #chainOf = (name: string): number | undefined => {
    const id = chainIdOf(name);
    return id !== undefined && /^\d+$/.test(name) && !this.#found.hasChain(id) ? undefined : id;
  };

  constructor({ wholeTexts, vocabulary }: SearchTexts, findWords: FindWords, found: FoundTokens) {
    this.#wholeTexts = wholeTexts;
    this.#vocabulary = vocabulary;
    this.#findWords = findWords;
    this.#found = found;
    this.#matches = createWordMatches(vocabulary);
  }

  /** Searches the tokens of one chain, or of all chains if `chainId` is undefined. */
  find(query: string, offset: number, limit: number, chainId?: number): Matches {
    const reading = readQuery(query, this.#chainOf);
    const { words, chains } = reading;
    this.#matches = createWordMatches(this.#vocabulary);
    this.#found.begin(chainId);
    const read = words.length > 0 && this.#addReadings(reading);
    if (read && chains.length > 0) {
      this.#addWords({ words, chains }, LEVEL.whole);
    } else if (words.length > 0) {
      this.#addWords(reading, LEVEL.start);
      const known = words.every((word) => this.#vocabulary.numberOf(word) !== undefined);
      if (this.#found.count === 0 && words.length > 1 && known) {
        this.#addShortened(reading);
      }
      if (this.#found.count === 0) {
        this.#addCorrected(reading, query);
      }
      if (this.#found.count === 0 || (words.length === 1 && query.length >= PART_LETTERS_MIN)) {
        this.#addWords(reading, LEVEL.part, words.length === 1 ? LEVEL.part : LEVEL.whole);
      }
      if (this.#found.count === 0 && words.length > 1) {
        this.#addShortened(reading);
      }
    }
    return this.#found.page(offset, limit);
  }

  #addMeant(phrase: string, reading: number, chainId?: number): void {
    for (const symbol of POPULAR_NAMES.get(phrase) ?? []) {
      const before = this.#found.count;
      this.#addSymbol(symbol, wholeRank(reading, WHOLE.meant), chainId);
      if (this.#found.count > before) {
        return;
      }
    }
  }

  #addSymbol(symbol: string, rank: number, chainId?: number): void {
    this.#wholeTexts.each(symbol, (token, whole) => {
      if (whole === WHOLE.symbol && this.#found.isOn(token, chainId)) {
        this.#found.add(token, rank, chainId !== undefined);
      }
    });
  }

  // Adds the tokens whose symbol or name consists of all these words. Returns whether there are any.
  #addWholeTexts(words: readonly string[], reading: number, chainId?: number): boolean {
    const found = this.#found;
    const before = found.count;
    const phrase = words.join(" ");
    this.#addMeant(phrase, reading, chainId);
    for (const spelling of spellingsOf(words, phrase)) {
      this.#wholeTexts.each(spelling, (token, whole) => {
        if (found.isOn(token, chainId)) {
          found.add(
            token,
            wholeRank(reading, spelling === phrase ? whole : Math.max(whole, WHOLE.otherName)),
            chainId !== undefined,
          );
        }
      });
    }
    return found.count > before;
  }

  // A single word's matches that are better than `best` have already been added.
  #addWords({ words, chains }: Pick<QueryReading, "words" | "chains">, worst: number, best: number = LEVEL.whole): void {
    const found = this.#found;
    const everywhere = new Set<number>();
    this.#findWords(this.#matches, words, { worst, best }, (token, level, field) => {
      if (found.isOn(token, undefined)) {
        found.add(token, wordsRank(SCOPE.everywhere, level, field), false);
        if (chains.length > 0) {
          everywhere.add(token);
        }
      }
    });
    for (const { chainId, rest } of chains) {
      this.#findWords(this.#matches, rest, { worst, best }, (token, level, field) => {
        if (found.isOn(token, chainId)) {
          const scope = everywhere.has(token) ? SCOPE.everywhereAndOnChain : SCOPE.onChain;
          found.add(token, wordsRank(scope, level, field), true);
        }
      });
    }
  }

  // Adds the tokens whose whole symbol or name is the query, in any of its readings.
  #addReadings({ words, chains, pair }: QueryReading): boolean {
    const before = this.#found.count;
    this.#addWholeTexts(words, READING.all);
    if (words.length === 2 && words[1] === "token") {
      this.#addSymbol(words[0] as string, wholeRank(READING.all, WHOLE.otherSymbol));
    }
    for (const [place, { chainId, rest }] of chains.entries()) {
      this.#addWholeTexts(rest, place === 0 ? READING.onChain : READING.onEarlierChain, chainId);
    }
    if (this.#found.count === before) {
      for (const { chainId, rest } of chains) {
        this.#addWholeTexts(withoutFillers(rest), READING.withoutFillersOnChain, chainId);
      }
      if (this.#found.count === before) {
        this.#addWholeTexts(withoutFillers(words), READING.withoutFillers);
      }
    }
    const [first = [], second = []] = pair;
    if (this.#found.count === before && first.length > 0 && second.length > 0 && this.#addWholeTexts(first, READING.first)) {
      this.#addWholeTexts(second, READING.second);
    }
    return this.#found.count > before;
  }

  // Corrections that keep the first letter of each word are more likely, because that letter is rarely wrong.
  #addCorrections(words: readonly string[], likely: number, unlikely: number, chainId?: number): void {
    const readingOf = (corrected: readonly string[]): number =>
      corrected.every((word, place) => word[0] === words[place]?.[0]) ? likely : unlikely;
    const phrase = words.join(" ");
    for (const name of popularNamesLike(phrase)) {
      this.#addMeant(name, readingOf(name.split(" ")), chainId);
    }
    for (const corrected of this.#matches.corrections(words)) {
      this.#addWholeTexts(corrected, readingOf(corrected), chainId);
    }
  }

  #addCorrected(reading: QueryReading, text: string): void {
    this.#addCorrections(reading.words, READING.all, READING.withoutFillers);
    if (this.#found.count === 0) {
      const corrected = readQuery(text, (name) => this.#chainOf(name) ?? mistypedChainId(name));
      if (corrected.chains.length > reading.chains.length && this.#addReadings(corrected)) {
        return;
      }
      for (const { chainId, rest } of corrected.chains) {
        this.#addCorrections(rest, READING.onChain, READING.withoutFillersOnChain, chainId);
      }
    }
    this.#addWords(reading, LEVEL.mistyped);
  }

  // Leaves out the words that no token has, then each word in turn, the last first, and then all but one.
  #addShortened({ words, chains }: QueryReading): void {
    const shorter = [
      words.filter((word) => this.#vocabulary.numberOf(plainWord(word)) !== undefined || this.#chainOf(word) !== undefined),
      ...words.map((_, place) => words.toSpliced(words.length - 1 - place, 1)),
      ...words.map((word) => [word]),
    ]
      .filter(({ length }) => length > 0 && length < words.length)
      .map((fewer) => ({ ...readQuery(fewer.join(" "), this.#chainOf), pair: [] }));
    if (shorter.some((reading) => this.#addReadings(reading))) {
      return;
    }
    for (const reading of shorter) {
      this.#addWords(reading, LEVEL.whole);
      if (this.#found.count > 0) {
        return;
      }
    }
    this.#addWords({ words: withoutFillers(words), chains }, LEVEL.start);
  }
}

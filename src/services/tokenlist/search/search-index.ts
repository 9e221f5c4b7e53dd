// Finds tokens by symbol and name, as people type them. A query is tried in several ways: as a whole symbol or name, as a symbol
// or name on a chain, and as words in any order. If nothing matches, mistyped words are corrected, and then words are left out.
// Tokens are numbered best first, so within a rank the results are in the order of their numbers.
import { chainName, mistypedChainId } from "../../chains/chains.ts";
import type { Yielder } from "../cooperative-yield.ts";
import { FoundTokens } from "./found-tokens.ts";
import type { Matches } from "./match-page.ts";
import { OTHER_COINS, POPULAR_NAMES, popularNamesLike } from "./popular-names.ts";
import { chainNamed, type QueryReading, readQuery, splitChain, withoutFillers } from "./query-reading.ts";
import { LEVEL, READING, SCOPE, WHOLE, wholeRank, wordsRank } from "./search-rank.ts";
import { buildSearchTexts, type SearchedToken, type SearchTexts } from "./search-texts.ts";
import { createWordFinder, type FindWords } from "./word-finder.ts";
import { createWordMatches } from "./word-matches.ts";
import { exactSymbol, hasLookalikes, plainWord, spellingsOf, wordsOf } from "./words.ts";

// A single letter occurs in too many words.
const PART_LETTERS_MIN = 2;

const SIGN = /[^\p{L}\p{N}\s$]/u;

// The strings of a query between its spaces, with and without the signs around them, as symbols are compared.
function typedSymbols(query: string): readonly string[] {
  const parts = exactSymbol(query).split(/\s+/);
  return [...parts, ...parts.map((part) => part.replace(/^["'`“‘([{<#]+|["'`”’)\]}>,;:?.]+$/g, ""))];
}

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

/** What a search found, and what it searched for instead of a query with mistakes. */
export interface SearchResult extends Matches {
  readonly corrected?: string | undefined;
}

/** Finds tokens by symbol and name. */
export class SearchIndex {
  readonly #wholeTexts: SearchTexts["wholeTexts"];
  readonly #vocabulary: SearchTexts["vocabulary"];
  readonly #findWords: FindWords;
  readonly #found: FoundTokens;
  #matches: ReturnType<typeof createWordMatches>;
  #query = "";
  // The words that are searched for; the query's own, or their corrections.
  #words: readonly string[] = [];
  // The symbols that are in the query to the letter, once they are needed.
  #typed: readonly string[] | undefined;
  #corrections: { readonly phrase: string; readonly rank: number; readonly lists: number }[] = [];
  // Digits are read as a chain's id only if a list has that chain, because they may be part of a name.
  readonly #chainOf = (name: string): number | undefined => {
    const id = chainNamed(name);
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
  find(query: string, offset: number, limit: number, chainId?: number): SearchResult {
    const reading = readQuery(query, this.#chainOf);
    const { words, chains } = reading;
    const isLookalike = hasLookalikes(query);
    this.#matches = createWordMatches(this.#vocabulary);
    this.#found.begin(chainId);
    this.#query = query;
    this.#typed = isLookalike ? [] : undefined;
    this.#words = this.#hasSigns(words) ? [] : words;
    this.#corrections = [];
    const read = words.length > 0 && this.#addReadings(reading);
    if (read && chains.length > 0) {
      this.#addWords({ words, chains }, LEVEL.whole);
    } else if (words.length > 0) {
      const [word = ""] = words;
      const isOtherCoin = words.length === 1 && OTHER_COINS.has(word);
      // Words that only begin with it, such as "dotmoovs", are not meant either.
      if (!isOtherCoin || this.#found.count > 0 || this.#vocabulary.numberOf(word) !== undefined) {
        this.#addWords(reading, LEVEL.start);
      }
      if (isOtherCoin && this.#found.count === 0) {
        this.#addWrapped(reading);
        return this.#found.page(offset, limit);
      }
      if (this.#found.count === 0 && words.length === 1) {
        this.#addSplit(words[0] as string);
      }
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
    const matches = this.#found.page(offset, limit);
    const best = this.#corrections.toSorted((one, other) => one.rank - other.rank || other.lists - one.lists)[0]?.phrase;
    const corrected = best ?? (isLookalike && matches.total > 0 ? words.join(" ") : undefined);
    return corrected === undefined ? matches : { ...matches, corrected };
  }

  #addMeant(phrase: string, reading: number, chainId?: number): void {
    for (const symbol of POPULAR_NAMES.get(phrase) ?? []) {
      const before = this.#found.count;
      this.#wholeTexts.each(wordsOf(symbol).join(" "), (token, whole) => {
        if (whole === WHOLE.symbol && this.#wholeTexts.symbolOf(token) === symbol && this.#found.isOn(token, chainId)) {
          const meant = this.#found.isOwn(token) ? WHOLE.own : WHOLE.meant;
          this.#found.add(token, wholeRank(reading, meant), chainId !== undefined);
        }
      });
      if (this.#found.count > before) {
        return;
      }
    }
  }

  // Adds the tokens whose symbol or name consists of all these words. Returns the most lists that any of them is on. With `rivalLists`,
  // tokens that are on fewer lists are not what the query means, and those whose words are in another order not even if they are on as
  // many.
  #addWholeTexts(words: readonly string[], reading: number, chainId?: number, rivalLists = 0): number {
    const found = this.#found;
    const phrase = words.join(" ");
    let lists = 0;
    this.#addMeant(phrase, reading, chainId);
    for (const spelling of spellingsOf(words, phrase)) {
      this.#wholeTexts.each(spelling, (token, whole) => {
        if (!found.isOn(token, chainId)) {
          return;
        }
        const listCount = found.listCountOf(token);
        const asTyped = spelling === phrase ? whole : Math.max(whole, WHOLE.otherName);
        const isName = asTyped === WHOLE.name;
        const isMeant = listCount > rivalLists || (listCount === rivalLists && isName);
        lists = Math.max(lists, listCount);
        found.add(token, wholeRank(isMeant ? reading : READING.afterChain, this.#wholeOf(token, asTyped)), chainId !== undefined);
      });
    }
    return lists;
  }

  // Whether the query has a symbol with signs that a token has, too: `usdc+` is not USDC. The sign of `$usdc` is usual for any symbol.
  #hasSigns(words: readonly string[]): boolean {
    if (!SIGN.test(this.#query)) {
      return false;
    }
    this.#typed ??= typedSymbols(this.#query);
    return this.#typed.some((part) => {
      let found = false;
      if (!part.startsWith("$") && !words.includes(part)) {
        this.#wholeTexts.each(wordsOf(part).join(" "), (token) => {
          found ||= this.#wholeTexts.symbolOf(token) === part && this.#found.isOn(token, undefined);
        });
      }
      return found;
    });
  }

  #isTyped(symbol: string): boolean {
    this.#typed ??= typedSymbols(this.#query);
    return this.#words.includes(symbol) || this.#typed.includes(symbol);
  }

  #wholeOf(token: number, whole: number): number {
    if (whole !== WHOLE.symbol || !this.#isTyped(this.#wholeTexts.symbolOf(token))) {
      return whole;
    }
    return this.#found.isOwn(token) ? WHOLE.own : WHOLE.exactSymbol;
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
    const found = this.#found;
    const before = found.count;
    let onChain = 0;
    for (const [place, { chainId, rest, restWithChainWords = rest }] of chains.entries()) {
      for (const others of new Set([rest, restWithChainWords])) {
        const lists = this.#addWholeTexts(others, place === 0 ? READING.onChain : READING.onEarlierChain, chainId);
        onChain = Math.max(onChain, lists);
      }
    }
    this.#addWholeTexts(words, READING.all, undefined, onChain);
    if (words.length === 2 && words[1] === "token") {
      this.#wholeTexts.each(words[0] as string, (token, whole) => {
        if (whole === WHOLE.symbol && found.isOn(token, undefined)) {
          found.add(token, wholeRank(READING.all, WHOLE.otherSymbol), false);
        }
      });
    }
    if (found.count === before) {
      for (const { chainId, rest } of chains) {
        this.#addWholeTexts(withoutFillers(rest), READING.withoutFillersOnChain, chainId);
      }
      if (found.count === before) {
        this.#addWholeTexts(withoutFillers(words), READING.withoutFillers);
      }
    }
    const [first = [], second = []] = pair;
    if (found.count === before && first.length > 0 && second.length > 0) {
      this.#addWholeTexts(first, READING.first);
      if (found.count > before) {
        this.#addWholeTexts(second, READING.second);
      }
    }
    return found.count > before;
  }

  // Adds the tokens that stand for a coin of another chain: cbXRP for XRP.
  #addWrapped(reading: QueryReading): void {
    const [symbol = ""] = reading.words;
    this.#findWords(this.#matches, reading.words, { worst: LEVEL.part, best: LEVEL.part }, (token, level, field) => {
      if (this.#wholeTexts.symbolOf(token).endsWith(symbol) && this.#found.isOn(token, undefined)) {
        this.#found.add(token, wordsRank(SCOPE.everywhere, level, field), false);
      }
    });
  }

  // Adds the tokens that a word means if it is a token and a chain.
  #addSplit(word: string): void {
    for (const { chainId, rest } of splitChain(
      word,
      (text) => this.#vocabulary.numberOf(text) !== undefined || POPULAR_NAMES.has(text),
    )) {
      this.#words = rest;
      this.#addWholeTexts(rest, READING.onChain, chainId);
      if (this.#found.count > 0) {
        return;
      }
    }
  }

  // Corrections that keep the first letter of each word are more likely, because that letter is rarely wrong.
  #addCorrections(words: readonly string[], likely: number, unlikely: number, chainId?: number): void {
    const readingOf = (corrected: readonly string[]): number =>
      corrected.every((word, place) => word[0] === words[place]?.[0]) ? likely : unlikely;
    const note = (corrected: readonly string[], lists: number): void => {
      const others = chainId === undefined ? [] : [chainName(chainId)];
      this.#corrections.push({ phrase: [...corrected, ...others].join(" "), rank: readingOf(corrected), lists });
    };
    for (const name of popularNamesLike(words.join(" "))) {
      const before = this.#found.count;
      this.#addMeant(name, readingOf(name.split(" ")), chainId);
      if (this.#found.count > before) {
        note(name.split(" "), Number.POSITIVE_INFINITY);
      }
    }
    for (const corrected of this.#matches.corrections(words)) {
      this.#words = corrected;
      const lists = this.#addWholeTexts(corrected, readingOf(corrected), chainId);
      if (lists > 0) {
        note(corrected, lists);
      }
    }
  }

  #addCorrected(reading: QueryReading, text: string): void {
    this.#addCorrections(reading.words, READING.all, READING.withoutFillers);
    if (this.#found.count === 0) {
      const corrected = readQuery(text, (name) => this.#chainOf(name) ?? mistypedChainId(name));
      if (corrected.chains.length > reading.chains.length && this.#addReadings(corrected)) {
        const [{ chainId, rest }] = corrected.chains as [(typeof corrected.chains)[number]];
        this.#corrections.push({ phrase: [...rest, chainName(chainId)].join(" "), rank: 0, lists: 0 });
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

// Finds tokens by symbol and name, as people type them. A query is tried in several ways: as a whole symbol or name, as one on a
// chain that it names, as words in any order. If nothing matches, mistyped words are corrected, and then words are left out.
// Tokens are numbered best first, so within a rank the results are in the order of their numbers.
import { chainIdOf, mistypedChainId, type NetworkKind } from "../../chains/chains.ts";
import type { Yielder } from "../cooperative-yield.ts";
import { type Matches, pageOf } from "./match-page.ts";
import { POPULAR_NAMES, popularNamesLike } from "./popular-names.ts";
import { type QueryReading, readQuery, withoutFillers } from "./query-reading.ts";
import { LEVEL, RANK_COUNT, READING, SCOPE, WHOLE, wholeRank, wordsRank } from "./search-rank.ts";
import { buildSearchTexts, type SearchedToken } from "./search-texts.ts";
import { createWordFinder } from "./word-finder.ts";
import { createWordMatches } from "./word-matches.ts";
import { plainWord, spellingsOf } from "./words.ts";

/** Finds tokens by symbol and name. */
export interface SearchIndex {
  /** Searches the tokens of one chain, or of all without `chainId`. */
  find(query: string, offset: number, limit: number, chainId?: number): Matches;
}

/** Main networks come before all others, and test networks after all others. */
export const NETWORK_ORDER: Readonly<Record<NetworkKind, number>> = { main: 0, unknown: 1, test: 2 };

const NETWORK_COUNT = Object.keys(NETWORK_ORDER).length;
const NO_MATCH = 0xffff;
const CLASS_COUNT = NETWORK_COUNT * RANK_COUNT * 2;
// A single letter occurs in too many words.
const PART_LETTERS_MIN = 2;

/** Builds the index of `count` tokens, in turns. `tokenAt` is called once for each token, and its result is not kept. */
export async function buildSearchIndex(
  count: number,
  tokenAt: (number: number) => SearchedToken,
  turns: Yielder,
): Promise<SearchIndex> {
  const chainIds = new Float64Array(count);
  const homes = new Uint8Array(count);
  const networks = new Uint8Array(count);
  const listedChains = new Set<number>();
  const noted = (number: number): SearchedToken => {
    const token = tokenAt(number);
    chainIds[number] = token.chainId;
    homes[number] = token.home ? 0 : 1;
    networks[number] = NETWORK_ORDER[token.network];
    listedChains.add(token.chainId);
    return token;
  };
  const { wholeTexts, vocabulary } = await buildSearchTexts(count, noted, turns);
  const findWords = createWordFinder(vocabulary, count);
  // The state of the current search, which is never interrupted: the class of each token, and the tokens that match.
  const classes = new Uint16Array(count);
  const matched = new Uint32Array(count);
  let filterId: number | undefined;
  let found = 0;

  const isOn = (token: number, chainId: number | undefined): boolean =>
    (chainId === undefined || chainIds[token] === chainId) && (filterId === undefined || chainIds[token] === filterId);

  let matches = createWordMatches(vocabulary);

  // A test network that the query names ranks like any other network.
  const note = (token: number, rank: number, named: boolean): void => {
    const network = named ? 0 : (networks[token] as number);
    const next = (network * RANK_COUNT + rank) * 2 + (homes[token] as number);
    const before = classes[token] as number;
    if (next < before) {
      classes[token] = next;
      if (before === NO_MATCH) {
        matched[found] = token;
        found += 1;
      }
    }
  };

  const noteMeant = (phrase: string, reading: number, chainId?: number): void => {
    for (const symbol of POPULAR_NAMES.get(phrase) ?? []) {
      const before = found;
      noteSymbol(symbol, wholeRank(reading, WHOLE.meant), chainId);
      if (found > before) {
        return;
      }
    }
  };

  const noteSymbol = (symbol: string, rank: number, chainId?: number): void => {
    wholeTexts.each(symbol, (token, whole) => {
      if (whole === WHOLE.symbol && isOn(token, chainId)) {
        note(token, rank, chainId !== undefined);
      }
    });
  };

  // Records the tokens whose name consists of all these words. Returns whether there are any.
  const noteWholeTexts = (words: readonly string[], reading: number, chainId?: number): boolean => {
    const before = found;
    const phrase = words.join(" ");
    noteMeant(phrase, reading, chainId);
    for (const spelling of spellingsOf(words, phrase)) {
      wholeTexts.each(spelling, (token, whole) => {
        if (isOn(token, chainId)) {
          note(token, wholeRank(reading, spelling === phrase ? whole : Math.max(whole, WHOLE.otherName)), chainId !== undefined);
        }
      });
    }
    return found > before;
  };

  // A single word's matches that are better than `best` have been recorded before.
  const noteWords = (
    { words, chains }: Pick<QueryReading, "words" | "chains">,
    worst: number,
    best: number = LEVEL.whole,
  ): void => {
    const everywhere = new Set<number>();
    findWords(matches, words, { worst, best }, (token, level, field) => {
      if (isOn(token, undefined)) {
        note(token, wordsRank(SCOPE.everywhere, level, field), false);
        if (chains.length > 0) {
          everywhere.add(token);
        }
      }
    });
    for (const { chainId, rest } of chains) {
      findWords(matches, rest, { worst, best }, (token, level, field) => {
        if (isOn(token, chainId)) {
          const scope = everywhere.has(token) ? SCOPE.everywhereAndOnChain : SCOPE.onChain;
          note(token, wordsRank(scope, level, field), true);
        }
      });
    }
  };

  // The query as a whole symbol or name.
  const noteReadings = ({ words, chains, pair }: QueryReading): boolean => {
    const before = found;
    noteWholeTexts(words, READING.all);
    if (words.length === 2 && words[1] === "token") {
      noteSymbol(words[0] as string, wholeRank(READING.all, WHOLE.otherSymbol));
    }
    for (const [place, { chainId, rest }] of chains.entries()) {
      noteWholeTexts(rest, place === 0 ? READING.onChain : READING.onEarlierChain, chainId);
    }
    if (found === before) {
      for (const { chainId, rest } of chains) {
        noteWholeTexts(withoutFillers(rest), READING.withoutFillersOnChain, chainId);
      }
      if (found === before) {
        noteWholeTexts(withoutFillers(words), READING.withoutFillers);
      }
    }
    const [first = [], second = []] = pair;
    if (found === before && first.length > 0 && second.length > 0 && noteWholeTexts(first, READING.first)) {
      noteWholeTexts(second, READING.second);
    }
    return found > before;
  };

  // The first letter is rarely wrong.
  const noteCorrections = (words: readonly string[], likely: number, unlikely: number, chainId?: number): void => {
    const readingOf = (corrected: readonly string[]): number =>
      corrected.every((word, place) => word[0] === words[place]?.[0]) ? likely : unlikely;
    const phrase = words.join(" ");
    for (const name of popularNamesLike(phrase)) {
      noteMeant(name, readingOf(name.split(" ")), chainId);
    }
    for (const corrected of matches.corrections(words)) {
      noteWholeTexts(corrected, readingOf(corrected), chainId);
    }
  };

  const noteCorrected = (reading: QueryReading, text: string): void => {
    noteCorrections(reading.words, READING.all, READING.withoutFillers);
    if (found === 0) {
      const corrected = readQuery(text, (name) => chainOf(name) ?? mistypedChainId(name));
      if (corrected.chains.length > reading.chains.length && noteReadings(corrected)) {
        return;
      }
      for (const { chainId, rest } of corrected.chains) {
        noteCorrections(rest, READING.onChain, READING.withoutFillersOnChain, chainId);
      }
    }
    noteWords(reading, LEVEL.mistyped);
  };

  // Leaves out the words that no token has, then each word in turn, the last first, and then all but one.
  const noteShortened = ({ words, chains }: QueryReading): void => {
    const shorter = [
      words.filter((word) => vocabulary.numberOf(plainWord(word)) !== undefined || chainOf(word) !== undefined),
      ...words.map((_, place) => words.toSpliced(words.length - 1 - place, 1)),
      ...words.map((word) => [word]),
    ]
      .filter(({ length }) => length > 0 && length < words.length)
      .map((fewer) => ({ ...readQuery(fewer.join(" "), chainOf), pair: [] }));
    if (shorter.some(noteReadings)) {
      return;
    }
    for (const reading of shorter) {
      noteWords(reading, LEVEL.whole);
      if (found > 0) {
        return;
      }
    }
    noteWords({ words: withoutFillers(words), chains }, LEVEL.start);
  };

  // Digits are a chain only if a list has it: they may be part of a name.
  const chainOf = (name: string): number | undefined => {
    const id = chainIdOf(name);
    return id !== undefined && /^\d+$/.test(name) && !listedChains.has(id) ? undefined : id;
  };

  return {
    find(query, offset, limit, chainId) {
      const reading = readQuery(query, chainOf);
      const { words, chains } = reading;
      classes.fill(NO_MATCH);
      matches = createWordMatches(vocabulary);
      filterId = chainId;
      found = 0;
      const read = words.length > 0 && noteReadings(reading);
      if (read && chains.length > 0) {
        noteWords({ words, chains }, LEVEL.whole);
      } else if (words.length > 0) {
        noteWords(reading, LEVEL.start);
        const known = words.every((word) => vocabulary.numberOf(word) !== undefined);
        if (found === 0 && words.length > 1 && known) {
          noteShortened(reading);
        }
        if (found === 0) {
          noteCorrected(reading, query);
        }
        if (found === 0 || (words.length === 1 && query.length >= PART_LETTERS_MIN)) {
          noteWords(reading, LEVEL.part, words.length === 1 ? LEVEL.part : LEVEL.whole);
        }
        if (found === 0 && words.length > 1) {
          noteShortened(reading);
        }
      }
      return pageOf(matched.subarray(0, found), { of: classes, count: CLASS_COUNT }, offset, limit);
    },
  };
}

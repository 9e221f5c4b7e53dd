// How well a token matches, best first. Each way to read the query has its own block of ranks, so a match in a better reading always comes
// first.
import { FIELD_COUNT } from "./vocabulary.ts";

/**
 * What the query equals as a whole, best first. `own`: the symbol, or a popular name, of the coin or token of a chain; `meant`: a popular
 * name of the token; `exactSymbol`: its symbol to the letter, apart from case, and not only when folded.
 */
export const WHOLE = { own: 0, meant: 1, exactSymbol: 2, symbol: 3, otherSymbol: 4, name: 5, otherName: 6 } as const;
const WHOLE_COUNT = 7;

/** How the words of a query match those of a token; for several words, the worst counts. */
export const LEVEL = { whole: 0, start: 1, mistyped: 2, part: 3 } as const;
const LEVEL_COUNT = 4;

/** Ways to read a query as the whole symbol or name of a token, best first. */
export const READING = {
  all: 0,
  /** All but the name of the chain. */
  onChain: 1,
  /** The same, if the query names another chain after it. */
  onEarlierChain: 2,
  /** All, if the token on the chain that the query names is on more lists. */
  afterChain: 3,
  /** All but filler words. */
  withoutFillers: 4,
  /** All but filler words and the name of the chain. */
  withoutFillersOnChain: 5,
  /** The first part of a pair. */
  first: 6,
  /** The second part of a pair. */
  second: 7,
} as const;
const READING_COUNT = 8;

/** Ways to find the words of a query, best first. */
export const SCOPE = { everywhereAndOnChain: 0, onChain: 1, everywhere: 2 } as const;
const SCOPE_COUNT = 3;

/** The rank of a whole symbol or name. */
export const wholeRank = (reading: number, whole: number): number => reading * WHOLE_COUNT + whole;

const WORDS_START = READING_COUNT * WHOLE_COUNT;

/** The rank of a match by words; `field` is where the token has the query's first word. */
export const wordsRank = (scope: number, level: number, field: number): number =>
  WORDS_START + (scope * LEVEL_COUNT + level) * FIELD_COUNT + field;

/** How many ranks there are; they count from 0, the best. */
export const RANK_COUNT = WORDS_START + SCOPE_COUNT * LEVEL_COUNT * FIELD_COUNT;

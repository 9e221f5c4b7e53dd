// How well a token's texts match what is searched for. The texts are UTF-16 codes, end to end, each led by a mark that says what it
// is.
import { isWithinOneEdit } from "./one-edit.ts";
import { isMark, NAME_MARK, OTHER_NAME_MARK, OTHER_SYMBOL_MARK, SYMBOL_MARK } from "./text-marks.ts";

/** The ranks, best first. "Home" means that the token is the home of its symbol; see home-tokens.ts. */
export const RANK = {
  wholeSymbolAtHome: 0,
  wholeSymbol: 1,
  wholeOtherSymbol: 2,
  wholeNameAtHome: 3,
  wholeName: 4,
  wholeOtherName: 5,
  symbolStart: 6,
  nameStart: 7,
  wordStart: 8,
  anywhere: 9,
  mistypedSymbolAtHome: 10,
  mistypedSymbol: 11,
  mistypedNameAtHome: 12,
  mistypedName: 13,
  mistypedWords: 14,
} as const;
/** How many ranks there are; they count from 0, the best. */
export const RANK_COUNT = 15;
/** No match: comes after all ranks. */
export const NO_MATCH = 15;

// ASCII letters and digits; beyond ASCII, everything but general punctuation is taken for a letter.
const isWordCode = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f));

/** Whether a word begins at a code, by the one before it. */
export const beginsWord = (before: number): boolean => !isWordCode(before);

function rankAt(mark: number, before: number, after: number): number {
  switch (before) {
    case SYMBOL_MARK:
      return isMark(after) ? RANK.wholeSymbol : RANK.symbolStart;
    case OTHER_SYMBOL_MARK:
      return isMark(after) ? RANK.wholeOtherSymbol : RANK.symbolStart;
    case NAME_MARK:
      return isMark(after) ? RANK.wholeName : RANK.nameStart;
    case OTHER_NAME_MARK:
      return isMark(after) ? RANK.wholeOtherName : RANK.nameStart;
    default:
      return mark >= NAME_MARK && beginsWord(before) ? RANK.wordStart : RANK.anywhere;
  }
}

function matchesAt(codes: Uint16Array, at: number, wanted: Uint16Array): boolean {
  for (let index = 1; index < wanted.length; index += 1) {
    if (codes[at + index] !== wanted[index]) {
      return false;
    }
  }
  return true;
}

/**
 * The best rank, home left aside, of the texts from `start` up to but not including `end`, where another mark stands. `wanted` is
 * not empty.
 */
export function rankOf(codes: Uint16Array, start: number, end: number, wanted: Uint16Array): number {
  const first = wanted[0];
  const last = end - wanted.length;
  let best = NO_MATCH;
  let mark = 0;
  for (let at = start; at <= last; at += 1) {
    const code = codes[at] as number;
    if (isMark(code)) {
      mark = code;
    } else if (code === first && matchesAt(codes, at, wanted)) {
      const rank = rankAt(mark, codes[at - 1] as number, codes[at + wanted.length] as number);
      if (rank === RANK.wholeSymbol) {
        return rank;
      }
      best = Math.min(best, rank);
    }
  }
  return best;
}

/**
 * The rank of the words that begin at `at`, in texts that end before `end`, where they are one typo away from `wanted`: the whole
 * of a text, or several words of it in a row.
 */
export function mistypedRankAt(codes: Uint16Array, at: number, end: number, wanted: Uint16Array): number {
  let best = NO_MATCH;
  for (let length = wanted.length - 1; length <= wanted.length + 1 && at + length <= end; length += 1) {
    const after = codes[at + length] as number;
    if (!isWordCode(after) && isWithinOneEdit(codes, at, length, wanted)) {
      best = Math.min(best, isMark(after) ? mistypedWholeRank(codes[at - 1] as number) : RANK.mistypedWords);
    }
  }
  return best;
}

// Of what goes on to the end of a text, by what is before it.
function mistypedWholeRank(before: number): number {
  switch (before) {
    case SYMBOL_MARK:
      return RANK.mistypedSymbol;
    case NAME_MARK:
      return RANK.mistypedName;
    default:
      return RANK.mistypedWords;
  }
}

/** The rank of a token that is the first of its symbol, from the one that any token would have. */
export function rankAtHome(rank: number): number {
  switch (rank) {
    case RANK.wholeSymbol:
      return RANK.wholeSymbolAtHome;
    case RANK.wholeName:
      return RANK.wholeNameAtHome;
    case RANK.mistypedSymbol:
      return RANK.mistypedSymbolAtHome;
    case RANK.mistypedName:
      return RANK.mistypedNameAtHome;
    default:
      return rank;
  }
}

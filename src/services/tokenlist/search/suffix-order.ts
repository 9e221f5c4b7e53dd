// Finds the words that contain or end with given letters, in a sorted array of all suffixes of all words.
import { sortedInTurns, type Yielder } from "../cooperative-yield.ts";
import { partitionPoint } from "../partition-point.ts";

/** The suffixes of numbered words. */
export interface SuffixOrder {
  /** The words in which `part` occurs after the beginning, once for each of the first 20,000 occurrences. */
  containing(part: string): readonly number[];
  /** The words that end with `part`, 20,000 at most. */
  endingWith(part: string): readonly number[];
}

// Lists are untrusted. The distinct words of three lists from 2026 have 43,000 letters, the most frequent letter occurs 5,000 times, and
// the longest word has 49 letters.
const OCCURRENCES_MAX = 20_000;
// Parts that begin later in a word are not found; beyond the second limit, words are found only by their beginnings.
const PARTS_PER_WORD_MAX = 48;
const PARTS_MAX = 1_000_000;
// Suffixes are ordered by this many letters. Suffixes that share them are checked one by one.
const ORDERED_LETTERS = 16;
/** Follows each word, and sorts before all letters. */
const WORD_END = "\0";

export async function orderSuffixes(words: readonly string[], turns: Yielder): Promise<SuffixOrder> {
  const { codes, wordAt, suffixes } = await joinWords(words, turns);
  const compare = (one: number, other: number): number => {
    let at = 0;
    while (at < ORDERED_LETTERS && codes[one + at] === codes[other + at] && codes[one + at] !== 0) {
      at += 1;
    }
    return at === ORDERED_LETTERS ? 0 : (codes[one + at] as number) - (codes[other + at] as number);
  };
  const ordered = Uint32Array.from(await sortedInTurns(suffixes, compare, turns));

  // Negative if the suffix sorts before all that begin with `part`, 0 if it begins with it, positive if it sorts after.
  const side = (suffix: number, part: string, from: number, to: number): number => {
    for (let at = from; at < to; at += 1) {
      const difference = (codes[suffix + at] as number) - part.charCodeAt(at);
      if (difference !== 0) {
        return difference;
      }
    }
    return 0;
  };

  // The suffixes that begin with the first 16 letters of `part`, as a range of indexes.
  const rangeOf = (part: string): readonly [from: number, to: number] => {
    const orderedBy = Math.min(part.length, ORDERED_LETTERS);
    const from = partitionPoint(ordered.length, (at) => side(ordered[at] as number, part, 0, orderedBy) < 0);
    const to = partitionPoint(ordered.length, (at) => side(ordered[at] as number, part, 0, orderedBy) <= 0);
    return [from, Math.min(to, from + OCCURRENCES_MAX)];
  };
  const matchesRest = (suffix: number, part: string): boolean =>
    part.length <= ORDERED_LETTERS || side(suffix, part, ORDERED_LETTERS, part.length) === 0;

  return {
    containing(part) {
      const found: number[] = [];
      const [from, to] = rangeOf(part);
      for (let at = from; at < to; at += 1) {
        const suffix = ordered[at] as number;
        const isStart = suffix === 0 || codes[suffix - 1] === 0;
        if (!isStart && matchesRest(suffix, part)) {
          found.push(wordAt[suffix] as number);
        }
      }
      return found;
    },
    endingWith(part) {
      const ending = part + WORD_END;
      const [from, to] = rangeOf(ending);
      const found: number[] = [];
      for (let at = from; at < to; at += 1) {
        const suffix = ordered[at] as number;
        if (matchesRest(suffix, ending)) {
          found.push(wordAt[suffix] as number);
        }
      }
      return found;
    },
  };
}

interface JoinedWords {
  /** The letters of all words, each word followed by WORD_END. */
  readonly codes: Uint16Array;
  /** Position in `codes` → the number of the word. */
  readonly wordAt: Uint32Array;
  /** Where suffixes start. */
  readonly suffixes: readonly number[];
}

async function joinWords(words: readonly string[], turns: Yielder): Promise<JoinedWords> {
  let length = 0;
  for (const word of words) {
    length += word.length + 1;
  }
  const codes = new Uint16Array(length);
  const wordAt = new Uint32Array(length);
  const suffixes: number[] = [];
  let end = 0;
  for (const [number, word] of words.entries()) {
    for (let at = 0; at < word.length; at += 1) {
      codes[end] = word.charCodeAt(at);
      wordAt[end] = number;
      if (at === 0 || (at < PARTS_PER_WORD_MAX && suffixes.length < PARTS_MAX)) {
        suffixes.push(end);
      }
      end += 1;
    }
    end += 1;
    if (turns.due()) {
      await turns.next();
    }
  }
  return { codes, wordAt, suffixes };
}

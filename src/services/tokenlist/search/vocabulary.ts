// All distinct words of all tokens, each with the tokens that have it. A word can be found as a whole, by its beginning, by any part of it,
// or although it was mistyped.
import { isOneEditAway } from "../../../runtime/one-edit.ts";
import { sortedInTurns, type Yielder } from "../cooperative-yield.ts";
import { groupNumbers, inSteps, NumberList } from "../number-list.ts";
import { partitionPoint } from "../partition-point.ts";

export type WordNumber = number;

export type Words = Iterable<WordNumber>;

/** Where a word is in a token's strings, best first. */
export const FIELD = { symbolStart: 0, nameStart: 1, later: 2 } as const;
/** How many fields there are. */
export const FIELD_COUNT = 3;

export interface Vocabulary {
  /** How many words there are. */
  readonly size: number;
  numberOf(word: string): WordNumber | undefined;
  textOf(word: WordNumber): string;
  /** How many times `tokensOf` calls back for the word. */
  useCountOf(word: WordNumber): number;
  /** Calls `found` for each token that has the word, once for each field that contains it. */
  tokensOf(word: WordNumber, found: (token: number, field: number) => void): void;
  /** Calls `found` for each word of a token, once for each field that contains it. */
  wordsOf(token: number, found: (word: WordNumber, field: number) => void): void;
  /** Whether any token has all of these words. */
  shareToken(words: readonly WordNumber[]): boolean;
  /** The words that begin with `part`, 20,000 at most. */
  startingWith(part: string): Words;
  /** The words in which `part`, of at least two letters, occurs after the beginning, 20,000 at most. */
  containing(part: string): Words;
  /** The words that are one typing mistake away from `typed`, 500 at most. */
  mistypedBy(typed: string): readonly WordNumber[];
}

// Lists are untrusted.
const WORDS_MAX = 20_000;
const MISTYPED_MAX = 500;

export interface VocabularyBuilder {
  /** Adds a word of a token. The tokens come in the order of their numbers. */
  add(word: string, token: number, field: number): void;
  /** Sorts what was collected. Yields to the event loop as it sorts. */
  build(turns: Yielder): Promise<Vocabulary>;
}

/** How words are used, in the order in which they were added. */
interface Uses {
  readonly words: NumberList;
  /** The token, times FIELD_COUNT, plus the field. */
  readonly postings: NumberList;
}

/** Collects the words of tokens, one token after another. */
export function createVocabularyBuilder(): VocabularyBuilder {
  const numbers = new Map<string, WordNumber>();
  const uses: Uses = { words: new NumberList(), postings: new NumberList() };
  // Word → the last token that has it, and a bit for each of the fields.
  const [lastTokens, lastFields] = [new NumberList(), new NumberList()];
  return {
    add(word, token, field) {
      const number = numbers.get(word) ?? numbers.size;
      const bit = 1 << field;
      if (number === numbers.size) {
        numbers.set(word, number);
        lastTokens.push(token);
        lastFields.push(bit);
      } else if (lastTokens.at(number) !== token) {
        lastTokens.set(number, token);
        lastFields.set(number, bit);
      } else if ((lastFields.at(number) & bit) === 0) {
        lastFields.set(number, lastFields.at(number) | bit);
      } else {
        return;
      }
      uses.words.push(number);
      uses.postings.push(token * FIELD_COUNT + field);
    },
    build: (turns) => orderWords(numbers, uses, turns),
  };
}

async function orderWords(numbers: ReadonlyMap<string, WordNumber>, uses: Uses, turns: Yielder): Promise<Vocabulary> {
  const words = [...numbers.keys()];
  const byWord = await groupNumbers(words.length, uses.words, uses.postings, turns);
  const byToken = await groupByToken(uses, turns);
  const letters = new Uint32Array(words.length);
  await inSteps(words.length, turns, (word) => {
    letters[word] = lettersOf(words[word] as string);
  });
  const textOf = (word: WordNumber): string => words[word] as string;
  const startingWith = await orderByStart(words, turns);
  const endingReversed = await orderByStart(words.map(reversed), turns);
  const withPairOf = await orderPairs(words, turns);

  const useCountOf = (word: WordNumber): number => (byWord.starts[word + 1] as number) - (byWord.starts[word] as number);
  const hasWord = (token: number, word: WordNumber): boolean => {
    const end = byToken.starts[token + 1] as number;
    for (let at = byToken.starts[token] as number; at < end; at += 1) {
      if (byToken.words[at] === word) {
        return true;
      }
    }
    return false;
  };

  return {
    size: words.length,
    numberOf: (word) => numbers.get(word),
    textOf,
    useCountOf,
    tokensOf(word, found) {
      const end = byWord.starts[word + 1] as number;
      for (let at = byWord.starts[word] as number; at < end; at += 1) {
        const posting = byWord.values[at] as number;
        const token = Math.floor(posting / FIELD_COUNT);
        found(token, posting - token * FIELD_COUNT);
      }
    },
    wordsOf(token, found) {
      const end = byToken.starts[token + 1] ?? 0;
      for (let at = byToken.starts[token] ?? 0; at < end; at += 1) {
        found(byToken.words[at] as number, byToken.fields[at] as number);
      }
    },
    shareToken(all) {
      const [first, ...others] = all.toSorted((one, other) => useCountOf(one) - useCountOf(other));
      if (first === undefined) {
        return false;
      }
      for (let at = byWord.starts[first] as number; at < (byWord.starts[first + 1] as number); at += 1) {
        const token = Math.floor((byWord.values[at] as number) / FIELD_COUNT);
        if (others.every((word) => hasWord(token, word))) {
          return true;
        }
      }
      return false;
    },
    startingWith,
    containing(part) {
      const found = withPairOf(part);
      return part.length === 2 ? found : found.filter((word) => textOf(word).indexOf(part, 1) !== -1);
    },
    mistypedBy(typed) {
      // A mistake in one half leaves the other half as it is. Otherwise the two letters where the halves meet are swapped.
      const half = typed.length >> 1;
      const found = new Set<WordNumber>();
      const wanted = lettersOf(typed);
      const consider = (word: WordNumber): void => {
        const isNear = found.size < MISTYPED_MAX && bitCount((letters[word] as number) ^ wanted) <= 2;
        if (isNear && isLikelyMistake(typed, textOf(word))) {
          found.add(word);
        }
      };
      startingWith(typed.slice(0, half)).forEach(consider);
      endingReversed(reversed(typed.slice(half))).forEach(consider);
      const swapped = numbers.get(typed.slice(0, half - 1) + typed.charAt(half) + typed.charAt(half - 1) + typed.slice(half + 1));
      if (swapped !== undefined) {
        consider(swapped);
      }
      return [...found].sort((one, other) => textOf(one).length - textOf(other).length || one - other);
    },
  };
}

const reversed = (text: string): string => text.split("").reverse().join("");

/** Sorts words. Returns the function that finds the numbers of those that begin with a part, 20,000 at most. */
async function orderByStart(texts: readonly string[], turns: Yielder): Promise<(part: string) => Uint32Array> {
  const textOf = (word: WordNumber): string => texts[word] as string;
  const numbers = await sortedInTurns([...texts.keys()], (one, other) => (textOf(one) < textOf(other) ? -1 : 1), turns);
  const ordered = Uint32Array.from(numbers);
  return (part) => {
    const from = partitionPoint(ordered.length, (at) => textOf(ordered[at] as number) < part);
    const to = partitionPoint(ordered.length, (at) => {
      const text = textOf(ordered[at] as number);
      return text < part || text.startsWith(part);
    });
    return ordered.subarray(from, Math.min(to, from + WORDS_MAX));
  };
}

// Parts that begin later in a word are not found; beyond the second limit, words are found only by their beginnings.
const PAIRS_PER_WORD_MAX = 48;
const PAIRS_MAX = 1_000_000;

/**
 * Returns the function that finds the words with the rarest pair of letters in a part of at least two letters, apart from pairs at the
 * beginning of a word; 20,000 at most.
 */
async function orderPairs(words: readonly string[], turns: Yielder): Promise<(part: string) => Uint32Array> {
  const numbers = new Map<number, number>();
  const [pairs, places] = [new NumberList(), new NumberList()];
  const pairAt = (text: string, at: number): number => text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
  for (const [word, text] of words.entries()) {
    const end = pairs.length < PAIRS_MAX ? Math.min(text.length - 1, PAIRS_PER_WORD_MAX) : 0;
    for (let at = 1; at < end; at += 1) {
      const pair = pairAt(text, at);
      const number = numbers.get(pair) ?? numbers.size;
      if (number === numbers.size) {
        numbers.set(pair, number);
      }
      pairs.push(number);
      places.push(word);
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  const { starts, values } = await groupNumbers(numbers.size, pairs, places, turns);
  return (part) => {
    let [from, to] = [0, part.length < 2 ? 0 : values.length];
    for (let at = 0; at < part.length - 1; at += 1) {
      const number = numbers.get(pairAt(part, at));
      const start = number === undefined ? 0 : (starts[number] as number);
      const end = number === undefined ? 0 : (starts[number + 1] as number);
      if (end - start < to - from) {
        [from, to] = [start, end];
      }
    }
    return values.subarray(from, Math.min(to, from + WORDS_MAX));
  };
}

// In a short word, a wrong letter makes another symbol more often than a mistake: NEAR is not FEAR, DOT is not DOG. So does one too many.
const WRONG_LETTER_MIN = 4;
const WRONG_END_MIN = 5;
const EXTRA_LETTER_MIN = 4;

/** Whether `typed` may be `word` with one typing mistake. */
export function isLikelyMistake(typed: string, word: string): boolean {
  if (!isOneEditAway(typed, word)) {
    return false;
  }
  if (typed.length >= WRONG_END_MIN || typed.length < word.length) {
    return true;
  }
  if (typed.length > word.length) {
    return typed.length >= EXTRA_LETTER_MIN;
  }
  const isSwap = [...typed].sort().join("") === [...word].sort().join("");
  return isSwap || (typed.length >= WRONG_LETTER_MIN && typed[0] === word[0] && typed.at(-1) === word.at(-1));
}

interface WordsByToken {
  /** Token → where its words start. They end where those of the next token start. */
  readonly starts: Uint32Array;
  readonly words: Uint32Array;
  readonly fields: Uint8Array;
}

// The words were added token by token, so they are already in order.
async function groupByToken({ words, postings }: Uses, turns: Yielder): Promise<WordsByToken> {
  const count = words.length;
  const tokenAt = (at: number): number => Math.floor(postings.at(at) / FIELD_COUNT);
  const tokenCount = count === 0 ? 0 : tokenAt(count - 1) + 1;
  const starts = new Uint32Array(tokenCount + 1).fill(count);
  const fields = new Uint8Array(count);
  let token = 0;
  await inSteps(count, turns, (at) => {
    for (; token <= tokenAt(at); token += 1) {
      starts[token] = at;
    }
    fields[at] = postings.at(at) % FIELD_COUNT;
  });
  return { starts, words: words.toArray(), fields };
}

// 32 bits, each for one or several letters: a typing mistake changes at most two of them.
function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) {
    bits |= 1 << (word.charCodeAt(at) & 31);
  }
  return bits >>> 0;
}

function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

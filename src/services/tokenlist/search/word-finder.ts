// Finds the tokens that have all words of a query. Only the tokens that have the rarest of these words are checked. For the
// other words, the finder only marks which words of the vocabulary they may mean.
import { FIELD_COUNT, type Vocabulary, type WordNumber, type Words } from "./vocabulary.ts";
import type { WordMatches } from "./word-matches.ts";

/**
 * Calls `found` for each token that has all words, with the worst level of any word and the best field of the first word. With several
 * words it is called once per token; with a single word, once for each match. Words match at the level `worst` or a better one. For a
 * single word, matches better than `best` are skipped.
 */
export type FindWords = (
  matches: WordMatches,
  words: readonly string[],
  levels: { readonly worst: number; readonly best: number },
  found: (token: number, level: number, field: number) => void,
) => void;

// Bits per word of the query: its level plus one, or 0 for no match.
const LEVEL_BITS = 4;
const LEVEL_MASK = 2 ** LEVEL_BITS - 1;

type Candidates = readonly Words[];

/** A query may have at most 8 words. */
export function createWordFinder(vocabulary: Vocabulary, tokenCount: number): FindWords {
  // Word of the vocabulary → the levels at which it matches each word of the query. All 0 between two searches.
  const levelsOf = new Uint32Array(vocabulary.size);
  // Token → the last search that checked it.
  const lookedAt = new Uint32Array(tokenCount);
  let searches = 0;

  const findWord = (candidates: Candidates, best: number, found: (token: number, level: number, field: number) => void): void => {
    for (let level = best; level < candidates.length; level += 1) {
      for (const word of candidates[level] ?? []) {
        vocabulary.tokensOf(word, (token, field) => found(token, level, field));
      }
    }
  };

  const mark = (candidates: Candidates, shift: number): void => {
    for (const [level, words] of candidates.entries()) {
      for (const word of words) {
        const known = levelsOf[word] as number;
        if (((known >>> shift) & LEVEL_MASK) === 0) {
          levelsOf[word] = known | ((level + 1) << shift);
        }
      }
    }
  };

  const unmark = (candidates: Candidates): void => {
    for (const words of candidates) {
      for (const word of words) {
        levelsOf[word] = 0;
      }
    }
  };

  const findAll = (all: readonly Candidates[], found: (token: number, level: number, field: number) => void): void => {
    const best = new Uint8Array(all.length);
    let firstField = 0;
    const checkWord = (word: WordNumber, field: number): void => {
      let marks = levelsOf[word] as number;
      for (let place = 0; marks !== 0; place += 1, marks >>>= LEVEL_BITS) {
        const level = marks & LEVEL_MASK;
        const before = best[place] as number;
        if (level !== 0 && (before === 0 || level < before)) {
          best[place] = level;
          firstField = place === 0 ? field : firstField;
        } else if (level !== 0 && place === 0 && level === before && field < firstField) {
          firstField = field;
        }
      }
    };
    searches += 1;
    for (const words of rarestOf(all, vocabulary)) {
      for (const word of words) {
        vocabulary.tokensOf(word, (token) => {
          if (lookedAt[token] === searches) {
            return;
          }
          lookedAt[token] = searches;
          best.fill(0);
          firstField = FIELD_COUNT;
          vocabulary.wordsOf(token, checkWord);
          let worst = 0;
          for (const level of best) {
            if (level === 0) {
              return;
            }
            worst = Math.max(worst, level);
          }
          found(token, worst - 1, firstField);
        });
      }
    }
  };

  return (matches, words, { worst, best }, found) => {
    const all = words.map((word) => matches.like(word, words.length > 1, worst));
    const [first] = all;
    if (first !== undefined && all.length === 1) {
      findWord(first, best, found);
    } else if (first !== undefined) {
      for (const [place, candidates] of all.entries()) {
        mark(candidates, place * LEVEL_BITS);
      }
      findAll(all, found);
      all.forEach(unmark);
    }
  };
}

// The word of a query that the fewest tokens have.
function rarestOf(all: readonly Candidates[], vocabulary: Vocabulary): Candidates {
  let rarest: Candidates = [];
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidates of all) {
    let uses = 0;
    for (const words of candidates) {
      for (const word of words) {
        uses += vocabulary.useCountOf(word);
      }
    }
    if (uses < fewest) {
      fewest = uses;
      rarest = candidates;
    }
  }
  return rarest;
}

// The words of tokens that a word of a query may mean. Each word is looked up once per query, however often the query is tried.
import { LEVEL } from "./search-rank.ts";
import type { Vocabulary, WordNumber, Words } from "./vocabulary.ts";
import { plainWord } from "./words.ts";

// With one letter changed, a word of two letters could be anything.
const MISTYPED_LETTERS_MIN = 3;
/** The most corrections of a query that are tried. */
const CORRECTIONS_MAX = 64;
// The most combinations of corrected words that are tried. Most of them do not occur together in any token.
const PHRASES_TRIED_MAX = 256;

/** What the words of one query may mean. */
export interface WordMatches {
  /**
   * The words that match, by level, up to the level `worst`. A single letter among several words does not match as a beginning. A
   * word may match at several levels.
   */
  like(word: string, oneOfSeveral: boolean, worst: number): readonly Words[];
  /**
   * The query's words, each as it is and corrected, or only corrected if no token has it. At most 64 phrases, each of words that some
   * token has together.
   */
  corrections(words: readonly string[]): readonly (readonly string[])[];
}

const NONE: readonly WordNumber[] = [];

/** Creates the matches of one query. */
export function createWordMatches(vocabulary: Vocabulary): WordMatches {
  const starting = memoized(vocabulary.startingWith);
  const containing = memoized(vocabulary.containing);
  const mistypedBy = memoized((word) => (word.length < MISTYPED_LETTERS_MIN ? NONE : vocabulary.mistypedBy(word)));

  return {
    like(word, oneOfSeveral, worst) {
      const wholeTexts = [...new Set([word, plainWord(word)])].flatMap((each) => vocabulary.numberOf(each) ?? []);
      if (worst === LEVEL.whole || (oneOfSeveral && word.length === 1)) {
        return [wholeTexts];
      }
      const starts = starting(word);
      if (worst === LEVEL.start) {
        return [wholeTexts, starts];
      }
      return worst === LEVEL.mistyped ? [wholeTexts, starts, mistypedBy(word)] : [wholeTexts, starts, NONE, containing(word)];
    },

    corrections(words) {
      let phrases: readonly (readonly WordNumber[])[] = [[]];
      for (const word of words) {
        const known = vocabulary.numberOf(word);
        const near = mistypedBy(word);
        const choices = known === undefined ? near : [known, ...near];
        phrases = phrases
          .flatMap((phrase) => choices.map((choice) => [...phrase, choice]))
          .slice(0, PHRASES_TRIED_MAX)
          .filter((phrase) => phrase.length === 1 || vocabulary.shareToken(phrase))
          .slice(0, CORRECTIONS_MAX);
      }
      return phrases.map((phrase) => phrase.map(vocabulary.textOf));
    },
  };
}

function memoized<Found extends Words>(compute: (text: string) => Found): (text: string) => Found {
  const known = new Map<string, Found>();
  return (text) => {
    const found = known.get(text) ?? compute(text);
    known.set(text, found);
    return found;
  };
}

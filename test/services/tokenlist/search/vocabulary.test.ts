// The sorted vocabulary finds the same as a search of every word.
import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { createYielder } from "../../../../src/services/tokenlist/cooperative-yield.ts";
import {
  createVocabularyBuilder,
  FIELD,
  isLikelyMistake,
  type Vocabulary,
} from "../../../../src/services/tokenlist/search/vocabulary.ts";

// Only a few letters, so that words have much in common.
const letters = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom("a", "b", "é"), minLength, maxLength });
const wordSets = fc.uniqueArray(letters(1, 20), { minLength: 1, maxLength: 60 });

async function vocabularyOf(tokens: readonly (readonly string[])[]): Promise<Vocabulary> {
  const builder = createVocabularyBuilder();
  for (const [token, words] of tokens.entries()) {
    for (const word of words) {
      builder.add(word, token, FIELD.later);
    }
  }
  return builder.build(createYielder(systemClock));
}

/** The words of the vocabulary, sorted, each once. */
const texts = (vocabulary: Vocabulary, numbers: Iterable<number>): string[] => [...new Set(numbers)].map(vocabulary.textOf).sort();

test("finds the words that begin with a part, contain it further on, or are one typo away", async () => {
  await fc.assert(
    fc.asyncProperty(wordSets, letters(3, 19), async (words, text) => {
      const vocabulary = await vocabularyOf([words]);
      const where = (holds: (word: string) => boolean): string[] => words.filter(holds).sort();
      expect(texts(vocabulary, vocabulary.startingWith(text))).toEqual(where((word) => word.startsWith(text)));
      expect(texts(vocabulary, vocabulary.containing(text))).toEqual(where((word) => word.includes(text, 1)));
      expect(texts(vocabulary, vocabulary.mistypedBy(text))).toEqual(where((word) => isLikelyMistake(text, word)));
    }),
  );
});

test.each([
  ["usdcc", "usdc", true],
  ["usc", "usdc", true],
  ["sudc", "usdc", true],
  ["dia", "dai", true],
  ["usfc", "usdc", true],
  ["linka", "linkb", true],
  ["uxdx", "usdc", false],
  ["near", "fear", false],
  ["usdc", "usds", false],
  ["dot", "dog", false],
  ["bch", "bth", false],
  ["icp", "cp", false],
])("%s is %s mistyped: %s", (typed, word, expected) => {
  expect(isLikelyMistake(typed, word)).toBe(expected);
});

test("knows the tokens of a word, the words of a token, and whether a token has several words", async () => {
  const vocabulary = await vocabularyOf([["usd", "coin", "usd"], [], ["coin"]]);
  const [usd, coin] = [vocabulary.numberOf("usd") ?? -1, vocabulary.numberOf("coin") ?? -1];
  const tokensOf = (word: number): number[] => {
    const found: number[] = [];
    vocabulary.tokensOf(word, (token) => found.push(token));
    return found;
  };
  const wordsOf = (token: number): string[] => {
    const found: string[] = [];
    vocabulary.wordsOf(token, (word) => found.push(vocabulary.textOf(word)));
    return found;
  };
  expect([usd, coin].map(tokensOf)).toEqual([[0], [0, 2]]);
  expect([0, 1, 2, 3].map(wordsOf)).toEqual([["usd", "coin"], [], ["coin"], []]);
  expect([vocabulary.shareToken([usd, coin]), vocabulary.shareToken([coin]), vocabulary.shareToken([])]).toEqual([
    true,
    true,
    false,
  ]);
  const apart = await vocabularyOf([["gold"], ["silver"]]);
  expect(apart.shareToken([0, 1])).toBe(false);
});

// The strings that a search looks through: the whole symbols and names of all tokens, and all of their words.
import type { NetworkKind } from "../../chains/chains.ts";
import type { Yielder } from "../cooperative-yield.ts";
import { groupNumbers, NumberList } from "../number-list.ts";
import { WHOLE } from "./search-rank.ts";
import { createVocabularyBuilder, FIELD, type Vocabulary } from "./vocabulary.ts";
import { exactSymbol, plainWord, spellingsOf, wordsOf } from "./words.ts";

/** The cleaned symbols and names of one token, and what distinguishes it from others with the same symbol or name. */
export interface SearchedToken {
  readonly chainId: number;
  readonly symbol: string;
  /** Symbols that only some lists give. */
  readonly otherSymbols: readonly string[];
  readonly names: readonly string[];
  /** Names that only some lists give, or that it has on other chains. */
  readonly otherNames: readonly string[];
  readonly network: NetworkKind;
  /** How many lists have it. */
  readonly listCount: number;
  /** Whether its symbol is one word, without signs, accents and letters that only look like Latin ones. */
  readonly plain: boolean;
  /** Whether several lists have the home of its symbol. */
  readonly familiar: boolean;
  /** Whether it is the home of its symbol; `own` if it is the coin or token of its chain. */
  readonly home: "no" | "home" | "own";
}

/** The tokens that have a phrase as a whole symbol or name. */
interface WholeTexts {
  /** Calls `found` for each token that has the phrase, the words of a symbol or a name separated by spaces; `whole` is one of WHOLE. */
  each(phrase: string, found: (token: number, whole: number) => void): void;
  /** The token's symbol, as `exactSymbol` gives it. */
  symbolOf(token: number): string;
}

export interface SearchTexts {
  readonly wholeTexts: WholeTexts;
  readonly vocabulary: Vocabulary;
}

// More than there are values of WHOLE.
const WHOLE_TEXTS_MAX = 8;

/**
 * Collects the strings of `count` tokens, and yields to the event loop as it goes. The strings of a token are created when its turn
 * comes.
 */
export async function buildSearchTexts(
  count: number,
  tokenAt: (number: number) => SearchedToken,
  turns: Yielder,
): Promise<SearchTexts> {
  const phrases = new Map<string, number>();
  // For each use of a phrase: the phrase's number, and the token with the kind of use.
  const [usedPhrases, uses] = [new NumberList(), new NumberList()];
  const builder = createVocabularyBuilder();
  const symbols: string[] = [];
  const addPhrase = (phrase: string, token: number, whole: number): void => {
    const number = phrases.get(phrase) ?? phrases.size;
    if (number === phrases.size) {
      phrases.set(phrase, number);
    }
    usedPhrases.push(number);
    uses.push(token * WHOLE_TEXTS_MAX + whole);
  };
  const addWords = (words: readonly string[], token: number, first: number): void => {
    for (const [place, word] of words.entries()) {
      const field = place === 0 ? first : FIELD.later;
      builder.add(word, token, field);
      const plain = plainWord(word);
      if (plain !== word) {
        builder.add(plain, token, field);
      }
    }
  };
  const addSymbol = (symbol: string, token: number, whole: number): void => {
    const words = wordsOf(symbol);
    addPhrase(words.join(" "), token, whole);
    addWords(words, token, FIELD.symbolStart);
    if (words.length > 1) {
      addPhrase(words.join(""), token, whole);
      builder.add(words.join(""), token, FIELD.symbolStart);
    }
  };
  const addName = (name: string, token: number, whole: number): void => {
    const words = wordsOf(name);
    const phrase = words.join(" ");
    for (const spelling of spellingsOf(words, phrase)) {
      addPhrase(spelling, token, spelling === phrase ? whole : WHOLE.otherName);
    }
    addWords(words, token, FIELD.nameStart);
  };
  for (let token = 0; token < count; token += 1) {
    const { symbol, otherSymbols, names, otherNames } = tokenAt(token);
    symbols.push(exactSymbol(symbol));
    addSymbol(symbol, token, WHOLE.symbol);
    for (const text of otherSymbols) {
      addSymbol(text, token, WHOLE.otherSymbol);
    }
    for (const text of names) {
      addName(text, token, WHOLE.name);
    }
    for (const text of otherNames) {
      addName(text, token, WHOLE.otherName);
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  const { starts, values } = await groupNumbers(phrases.size, usedPhrases, uses, turns);
  const wholeTexts: WholeTexts = {
    symbolOf: (token) => symbols[token] as string,
    each(phrase, found) {
      const number = phrases.get(phrase);
      const end = number === undefined ? 0 : (starts[number + 1] as number);
      for (let at = starts[number ?? 0] as number; at < end; at += 1) {
        const use = values[at] as number;
        found(Math.floor(use / WHOLE_TEXTS_MAX), use % WHOLE_TEXTS_MAX);
      }
    },
  };
  return { wholeTexts, vocabulary: await builder.build(turns) };
}

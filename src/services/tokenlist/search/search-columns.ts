// What a search goes through: the texts of all tokens in a few long arrays, each token by its number. A token's number is its place
// in the list that the index is built from, best first.
import type { NetworkKind } from "../../chains/chains.ts";
import type { Yielder } from "../cooperative-yield.ts";
import { foldText } from "../text.ts";
import { beginsWord } from "./search-rank.ts";
import { addToSignature, SIGNATURE_WORDS } from "./search-signature.ts";
import { NAME_MARK, OTHER_NAME_MARK, OTHER_SYMBOL_MARK, SYMBOL_MARK } from "./text-marks.ts";

/** The cleaned symbols and names of one token, and what distinguishes it from others with the same ones. */
export interface SearchedToken {
  readonly symbol: string;
  /** Symbols that only some of the lists give. */
  readonly otherSymbols: readonly string[];
  readonly names: readonly string[];
  /** Names that only some of the lists give. */
  readonly otherNames: readonly string[];
  readonly network: NetworkKind;
  /** Whether it is the first of its symbol. */
  readonly home: boolean;
}

/** The arrays. */
export interface SearchColumns {
  /** Where each token's texts begin in `codes`; one more at the end. */
  readonly starts: Uint32Array;
  readonly codes: Uint16Array;
  /** Where each token's words begin in `words`; one more at the end. */
  readonly wordStarts: Uint32Array;
  /** Where words begin in `codes`. */
  readonly words: Uint32Array;
  readonly signatures: Int32Array;
  readonly networks: Uint8Array;
  readonly homes: Uint8Array;
}

// Folding can make a text longer. In practice no text is cut.
const TEXT_CODES_MAX = 128;
/** Main networks come before all others, and test networks after all others. */
export const NETWORK_ORDER: Readonly<Record<NetworkKind, number>> = { main: 0, unknown: 1, test: 2 };

/** Fills the arrays, in turns. */
export async function buildSearchColumns(tokens: readonly SearchedToken[], turns: Yielder): Promise<SearchColumns> {
  const starts = new Uint32Array(tokens.length + 1);
  const wordStarts = new Uint32Array(tokens.length + 1);
  const signatures = new Int32Array(tokens.length * SIGNATURE_WORDS);
  const networks = new Uint8Array(tokens.length);
  const homes = new Uint8Array(tokens.length);
  const codes = createColumn(Uint16Array);
  const words = createColumn(Uint32Array);
  for (const [token, each] of tokens.entries()) {
    starts[token] = codes.length();
    wordStarts[token] = words.length();
    networks[token] = NETWORK_ORDER[each.network];
    homes[token] = each.home ? 1 : 0;
    for (const [mark, text] of markedTexts(each)) {
      const folded = foldText(text).slice(0, TEXT_CODES_MAX);
      let before = mark;
      codes.append(mark);
      for (let index = 0; index < folded.length; index += 1) {
        if (beginsWord(before)) {
          words.append(codes.length());
        }
        before = folded.charCodeAt(index);
        codes.append(before);
      }
      addToSignature(signatures, token * SIGNATURE_WORDS, folded);
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  starts[tokens.length] = codes.length();
  wordStarts[tokens.length] = words.length();
  codes.append(SYMBOL_MARK);
  return { starts, codes: codes.whole(), wordStarts, words: words.whole(), signatures, networks, homes };
}

function* markedTexts({ symbol, otherSymbols, names, otherNames }: SearchedToken): Iterable<readonly [mark: number, text: string]> {
  yield [SYMBOL_MARK, symbol];
  for (const text of otherSymbols) {
    yield [OTHER_SYMBOL_MARK, text];
  }
  for (const text of names) {
    yield [NAME_MARK, text];
  }
  for (const text of otherNames) {
    yield [OTHER_NAME_MARK, text];
  }
}

// An array of numbers that grows.
function createColumn<Numbers extends Uint16Array | Uint32Array>(make: new (length: number) => Numbers) {
  let numbers = new make(1 << 16);
  let length = 0;
  return {
    length: () => length,
    whole: () => numbers.slice(0, length) as Numbers,
    append(number: number): void {
      if (length === numbers.length) {
        const larger = new make(numbers.length * 2);
        larger.set(numbers);
        numbers = larger;
      }
      numbers[length] = number;
      length += 1;
    },
  };
}

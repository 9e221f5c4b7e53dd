// Finds tokens by symbol and name in one pass over one array, and in a second for what seems mistyped. Tokens are numbered best first, so
// that within a rank the order of numbers is the order of the answer. Over ten thousand tokens a search takes a fraction of a
// millisecond, and one for what nothing is called like about a millisecond, whatever is searched for.
import type { NetworkKind } from "../../chains/chains.ts";
import type { Yielder } from "../cooperative-yield.ts";
import { foldText } from "../text.ts";
import { beginsWord, mistypedRankAt, NO_MATCH, RANK, RANK_COUNT, rankAtHome, rankOf } from "./search-rank.ts";
import { addToSignature, bitsMissing, SIGNATURE_WORDS } from "./search-signature.ts";
import { NAME_MARK, OTHER_NAME_MARK, OTHER_SYMBOL_MARK, SYMBOL_MARK } from "./text-marks.ts";

/** What lists call one token, cleaned, and what sets it apart from others that are called the same. */
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

/** A page of matches. */
interface Matches {
  readonly total: number;
  /** Numbers of tokens, best match first. */
  readonly page: readonly number[];
}

/** Finds tokens by what they are called. */
export interface SearchIndex {
  /** `query` is folded and not empty. `accepts` says which tokens count; all when left out. */
  find(query: string, offset: number, limit: number, accepts?: (token: number) => boolean): Matches;
}

// Folding can make a text longer; no text is so long that this cuts it in practice.
const TEXT_CODES_MAX = 128;
// With one letter changed, a text of two is any other.
const MISTYPED_CODES_MIN = 3;
// Of a signature: the letter that is wrong, and the pairs that it makes with its neighbours.
const MISTYPED_BITS_MAX = 3;

/** Main networks come before all others, and test networks after all others. */
export const NETWORK_ORDER: Readonly<Record<NetworkKind, number>> = { main: 0, unknown: 1, test: 2 };
const NETWORK_COUNT = 3;

/** What the index holds of all tokens, each by its number. */
interface Columns {
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

/** Builds the index, in turns. A token's number is its place in `tokens`. */
export async function buildSearchIndex(tokens: readonly SearchedToken[], turns: Yielder): Promise<SearchIndex> {
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
  return createFinder({ starts, codes: codes.whole(), wordStarts, words: words.whole(), signatures, networks, homes });
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

function createFinder({ starts, codes, wordStarts, words, signatures, networks, homes }: Columns): SearchIndex {
  const tokenCount = homes.length;
  // What the search under way has found; a search is never interrupted. The rank of each token, and the tokens with one, those of a rank
  // in the order of their numbers.
  const ranks = new Uint8Array(tokenCount);
  const matched = new Uint32Array(tokenCount);
  let matchedCount = 0;

  const note = (token: number, rank: number): void => {
    ranks[token] = homes[token] === 1 ? rankAtHome(rank) : rank;
    if (rank !== NO_MATCH) {
      matched[matchedCount] = token;
      matchedCount += 1;
    }
  };

  const rankAll = (wanted: Uint16Array, masks: Int32Array, accepts: (token: number) => boolean): number => {
    const low = masks[0] as number;
    const high = masks[1] as number;
    let best = NO_MATCH;
    matchedCount = 0;
    ranks.fill(NO_MATCH);
    for (let token = 0; token < tokenCount; token += 1) {
      const at = token * SIGNATURE_WORDS;
      if (((signatures[at] as number) & low) === low && ((signatures[at + 1] as number) & high) === high && accepts(token)) {
        const rank = rankOf(codes, starts[token] as number, starts[token + 1] as number, wanted);
        note(token, rank);
        best = Math.min(best, rank);
      }
    }
    return best;
  };

  const mistypedRankOf = (token: number, wanted: Uint16Array): number => {
    const end = starts[token + 1] as number;
    const last = wordStarts[token + 1] as number;
    let best = NO_MATCH;
    for (let word = wordStarts[token] as number; word < last; word += 1) {
      best = Math.min(best, mistypedRankAt(codes, words[word] as number, end, wanted));
    }
    return best;
  };

  const rankMistyped = (wanted: Uint16Array, masks: Int32Array, accepts: (token: number) => boolean): void => {
    for (let token = 0; token < tokenCount; token += 1) {
      const may = ranks[token] === NO_MATCH && bitsMissing(signatures, token * SIGNATURE_WORDS, masks) <= MISTYPED_BITS_MAX;
      if (may && accepts(token)) {
        note(token, mistypedRankOf(token, wanted));
      }
    }
  };

  return {
    find(query, offset, limit, accepts = () => true) {
      const wanted = Uint16Array.from({ length: query.length }, (_, index) => query.charCodeAt(index));
      const masks = new Int32Array(SIGNATURE_WORDS);
      addToSignature(masks, 0, query);
      const best = rankAll(wanted, masks, accepts);
      if (best >= RANK.anywhere && wanted.length >= MISTYPED_CODES_MIN) {
        rankMistyped(wanted, masks, accepts);
      }
      const classOf = (token: number): number => (networks[token] as number) * RANK_COUNT + (ranks[token] as number);
      return pageOf(matched.subarray(0, matchedCount), classOf, offset, limit);
    },
  };
}

// Counts the matches of each class, which is a network's order and a rank, and then takes those whose place is on the page.
function pageOf(matched: Uint32Array, classOf: (token: number) => number, offset: number, limit: number): Matches {
  const total = matched.length;
  const places = new Uint32Array(NETWORK_COUNT * RANK_COUNT + 1);
  for (let at = 0; at < total; at += 1) {
    const next = classOf(matched[at] as number) + 1;
    places[next] = (places[next] as number) + 1;
  }
  for (let at = 1; at < places.length; at += 1) {
    places[at] = (places[at] as number) + (places[at - 1] as number);
  }
  const page = new Array<number>(Math.max(0, Math.min(limit, total - offset)));
  for (let at = 0; at < total; at += 1) {
    const token = matched[at] as number;
    const matchClass = classOf(token);
    const place = places[matchClass] as number;
    places[matchClass] = place + 1;
    if (place >= offset && place - offset < page.length) {
      page[place - offset] = token;
    }
  }
  return { total, page };
}

// Finds tokens by symbol and name in one pass over one array. Tokens are numbered best first, so that within a rank the order of numbers
// is the order of the answer. Over ten thousand tokens a search takes a fraction of a millisecond, whatever is searched for.
import { nameMark, noMatch, rankCount, rankOf, symbolMark } from "./search-rank.ts";
import { addToSignature, signatureWords } from "./search-signature.ts";
import { foldText } from "./text.ts";
import type { Turns } from "./turns.ts";

/** What lists call one token, cleaned. */
export interface TokenTexts {
  readonly symbols: readonly string[];
  readonly names: readonly string[];
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
const textCodesMax = 128;

/** Builds the index, in turns. A token's number is its place in `tokens`. */
export async function buildSearchIndex(tokens: readonly TokenTexts[], turns: Turns): Promise<SearchIndex> {
  const starts = new Uint32Array(tokens.length + 1);
  const signatures = new Int32Array(tokens.length * signatureWords);
  const codes = createCodes();
  for (const [token, { symbols, names }] of tokens.entries()) {
    starts[token] = codes.length();
    for (const [mark, texts] of [[symbolMark, symbols] as const, [nameMark, names] as const]) {
      for (const text of texts) {
        const folded = foldText(text).slice(0, textCodesMax);
        codes.append(mark, folded);
        addToSignature(signatures, token * signatureWords, folded);
      }
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  starts[tokens.length] = codes.length();
  codes.append(symbolMark, "");
  return createFinder(starts, codes.whole(), signatures);
}

function createCodes() {
  let codes = new Uint16Array(1 << 16);
  let length = 0;
  return {
    length: () => length,
    whole: () => codes.slice(0, length),
    append(mark: number, text: string): void {
      if (length + 1 + text.length > codes.length) {
        const larger = new Uint16Array(codes.length * 2);
        larger.set(codes);
        codes = larger;
      }
      codes[length] = mark;
      for (let index = 0; index < text.length; index += 1) {
        codes[length + 1 + index] = text.charCodeAt(index);
      }
      length += 1 + text.length;
    },
  };
}

function createFinder(starts: Uint32Array, codes: Uint16Array, signatures: Int32Array): SearchIndex {
  const tokenCount = starts.length - 1;
  // Matches by rank, filled anew by each search; a search is never interrupted.
  const buckets = Array.from({ length: rankCount }, () => new Uint32Array(tokenCount));
  return {
    find(query, offset, limit, accepts = () => true) {
      const wanted = Uint16Array.from({ length: query.length }, (_, index) => query.charCodeAt(index));
      const masks = new Int32Array(signatureWords);
      addToSignature(masks, 0, query);
      const low = masks[0] as number;
      const high = masks[1] as number;
      const counts = new Array<number>(rankCount).fill(0);
      for (let token = 0; token < tokenCount; token += 1) {
        const at = token * signatureWords;
        if (((signatures[at] as number) & low) === low && ((signatures[at + 1] as number) & high) === high && accepts(token)) {
          const rank = rankOf(codes, starts[token] as number, starts[token + 1] as number, wanted);
          if (rank !== noMatch) {
            const count = counts[rank] as number;
            (buckets[rank] as Uint32Array)[count] = token;
            counts[rank] = count + 1;
          }
        }
      }
      return pageOf(buckets, counts, offset, limit);
    },
  };
}

function pageOf(buckets: readonly Uint32Array[], counts: readonly number[], offset: number, limit: number): Matches {
  const page: number[] = [];
  let skip = offset;
  for (const [rank, bucket] of buckets.entries()) {
    const count = counts[rank] as number;
    page.push(...bucket.subarray(Math.min(skip, count), Math.min(skip + limit - page.length, count)));
    skip = Math.max(0, skip - count);
  }
  return { total: counts.reduce((sum, count) => sum + count, 0), page };
}

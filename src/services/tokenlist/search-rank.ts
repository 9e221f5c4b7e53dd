// How well a token's texts match what is searched for. The texts are UTF-16 codes, end to end, each led by a mark that says what it is.

/** Leads a symbol. Marks are below any character of a cleaned text. */
export const symbolMark = 1;
/** Leads a name. */
export const nameMark = 2;

const wholeSymbol = 0;
const symbolStart = 1;
const nameStart = 2;
const wordStart = 3;
const anywhere = 4;

/** How many ranks there are; they count from 0, the best. */
export const rankCount = 5;
/** What is no match. */
export const noMatch = 5;

// ASCII letters and digits; beyond ASCII, everything but general punctuation is taken for a letter.
const isWordCode = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f));

function rankAt(mark: number, before: number, after: number): number {
  if (before === symbolMark) {
    return after <= nameMark ? wholeSymbol : symbolStart;
  }
  if (before === nameMark) {
    return nameStart;
  }
  return mark === nameMark && !isWordCode(before) ? wordStart : anywhere;
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
 * The best rank of the texts from `start` up to but not including `end`, where another mark stands: symbols, then names. `wanted` is
 * not empty.
 */
export function rankOf(codes: Uint16Array, start: number, end: number, wanted: Uint16Array): number {
  const first = wanted[0];
  const last = end - wanted.length;
  let best = noMatch;
  let mark = 0;
  for (let at = start; at <= last; at += 1) {
    const code = codes[at] as number;
    if (code <= nameMark) {
      if (code === nameMark && best === symbolStart) {
        return best;
      }
      mark = code;
    } else if (code === first && matchesAt(codes, at, wanted)) {
      const rank = rankAt(mark, codes[at - 1] as number, codes[at + wanted.length] as number);
      if (rank === wholeSymbol || rank === nameStart) {
        return rank;
      }
      best = Math.min(best, rank);
    }
  }
  return best;
}

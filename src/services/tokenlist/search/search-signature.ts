// A signature of a text: 64 bits, of which each character and each pair of neighbours sets one. A text that contains another has
// all of its bits, so one comparison rules out most texts that do not.

/** How many 32-bit words a signature has. */
export const SIGNATURE_WORDS = 2;

// The multiplier spreads neighbouring codes over all bits.
const bitOf = (before: number, code: number): number => Math.imul(before * 131 + code, 0x9e3779b1) >>> 26;

/** Adds a text to the signature that begins at `words[at]`. */
export function addToSignature(words: Int32Array, at: number, text: string): void {
  let before = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const single = bitOf(0, code);
    words[at + (single >> 5)] = (words[at + (single >> 5)] as number) | (1 << (single & 31));
    if (before !== 0) {
      const pair = bitOf(before, code);
      words[at + (pair >> 5)] = (words[at + (pair >> 5)] as number) | (1 << (pair & 31));
    }
    before = code;
  }
}

/** How many bits of `masks` the signature that begins at `words[at]` lacks. */
export function bitsMissing(words: Int32Array, at: number, masks: Int32Array): number {
  const low = (masks[0] as number) & ~(words[at] as number);
  const high = (masks[1] as number) & ~(words[at + 1] as number);
  return bitCount(low) + bitCount(high);
}

function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

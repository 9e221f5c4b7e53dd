// The numbers in a 64-bit word of shared memory, and words made of numbers. Converting with `Number` or `BigInt` is slow, because compiled
// code calls the runtime for it, and each call of a method needs a dozen conversions. These functions write the word into memory and read
// it as the other type instead.

const halves = new Uint32Array(2);
const signedHalves = new Int32Array(halves.buffer);
const words = new BigInt64Array(halves.buffer);
words[0] = 1n;
const LOWER = halves[0] === 1 ? 0 : 1;
const UPPER = 1 - LOWER;
const UPPER_UNIT = 2 ** 32;

/** The upper 32 bits. */
export function upperOf(word: bigint): number {
  words[0] = word;
  return halves[UPPER] as number;
}

/** The lower 32 bits. */
export function lowerOf(word: bigint): number {
  words[0] = word;
  return halves[LOWER] as number;
}

/** A word of two halves, each from 0 to 2^32 - 1. */
export function wordOfHalves(upper: number, lower: number): bigint {
  halves[UPPER] = upper;
  halves[LOWER] = lower;
  return words[0] as bigint;
}

/** The whole word, which is at most 2^53, as a number. */
export function numberOf(word: bigint): number {
  words[0] = word;
  return (signedHalves[UPPER] as number) * UPPER_UNIT + (halves[LOWER] as number);
}

/** A word of a whole number of at most 2^53. */
export const wordOf = (value: number): bigint => wordOfHalves(Math.floor(value / UPPER_UNIT), value);

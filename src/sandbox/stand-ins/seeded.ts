// Random numbers that are the same at every start, for invented data. Not for secrets or anything that needs real randomness.

/** Returns numbers in [0, 1), always the same for the same seed. Seeds that differ in one bit give unrelated numbers. */
export function seeded(seed: number): () => number {
  let counter = seed >>> 0;
  return () => {
    // A Weyl sequence, and two rounds of multiply and shift to scatter it over all bits.
    counter = (counter + 0x9e3779b9) >>> 0;
    let bits = Math.imul(counter ^ (counter >>> 16), 0x7feb352d);
    bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  };
}

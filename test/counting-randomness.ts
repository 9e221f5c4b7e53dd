// Randomness that counts, so that a test knows every id and key that is drawn.
import type { Randomness } from "../src/randomness.ts";

/** Ids end in 1, 2, 3 …; bytes are all the number of the draw. */
export function createCountingRandomness(): Randomness {
  let ids = 0;
  let draws = 0;
  return {
    bytes: (count) => new Uint8Array(count).fill(++draws),
    uuid: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`,
    unit: () => 0,
  };
}

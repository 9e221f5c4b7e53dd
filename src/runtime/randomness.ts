// The only place that makes random numbers. Everything else is handed a Randomness, so that a test can repeat itself.
import { randomBytes, randomFillSync } from "node:crypto";

/** Random values, as the rest of the program sees them. */
export interface Randomness {
  /** `count` bytes fit for a secret. */
  bytes(count: number): Uint8Array;
  /** A version 4 UUID, lower case. */
  uuid(): string;
  /** A number from 0 up to but not including 1, for jitter and choice; not for secrets. */
  unit(): number;
}

const UUID_BYTES = 16;
const POOLED_UUIDS = 256;
/** Where a UUID's text has its pairs of digits, between the hyphens. */
const PAIR_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const DIGITS = Buffer.from("0123456789abcdef", "latin1");

// Every answer has a UUID. `crypto.randomUUID` joins twenty pieces of text, which with their garbage collection was a sixth of the cost of a small
// HTTP/2 answer. This makes one flat string.
function createUuidSource(): () => string {
  const pool = Buffer.alloc(UUID_BYTES * POOLED_UUIDS);
  const text = Buffer.alloc(36, "-");
  let next = pool.length;
  return () => {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    pool[next + 6] = ((pool[next + 6] as number) & 0x0f) | 0x40;
    pool[next + 8] = ((pool[next + 8] as number) & 0x3f) | 0x80;
    for (let i = 0; i < UUID_BYTES; i++) {
      const byte = pool[next + i] as number;
      const at = PAIR_AT[i] as number;
      text[at] = DIGITS[byte >> 4] as number;
      text[at + 1] = DIGITS[byte & 0x0f] as number;
    }
    next += UUID_BYTES;
    return text.toString("latin1");
  };
}

/** The machine's randomness. */
export const systemRandomness: Randomness = {
  bytes: (count) => randomBytes(count),
  uuid: createUuidSource(),
  unit: () => Math.random(),
};

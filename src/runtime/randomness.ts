// The only place that generates random numbers. Everything else gets a Randomness, so that tests are repeatable.
import { randomBytes, randomFillSync } from "node:crypto";

/** The program's source of random values. */
export interface Randomness {
  /** `count` bytes fit for a secret. */
  bytes(count: number): Uint8Array;
  /** A version 4 UUID in lower case. */
  uuid(): string;
  /** A number in [0, 1), for jitter and choice; not for secrets. */
  unit(): number;
}

const UUID_BYTES = 16;
const UUID_LENGTH = 36;
/** How many UUIDs are written at once. Each one keeps the string of the whole batch in memory. */
const UUIDS_AT_ONCE = 16;
/** How many UUIDs' random bytes are generated at a time. */
const POOLED_UUIDS = 256;
/** The offsets of the digit pairs in a UUID's text, between the hyphens. */
const PAIR_OFFSETS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const DIGITS = Buffer.from("0123456789abcdef", "latin1");

// Every response has a UUID. `crypto.randomUUID` joins twenty strings, which was a sixth of the cost of a small HTTP/2 response.
// This writes several UUIDs into one flat string, and slices it.
function createUuidSource(): () => string {
  const pool = Buffer.alloc(UUID_BYTES * POOLED_UUIDS);
  let nextInPool = pool.length;
  const bytes = Buffer.alloc(UUID_LENGTH * UUIDS_AT_ONCE, "-");
  let text = "";
  let next = 0;
  return () => {
    if (next === text.length) {
      for (let start = 0; start < bytes.length; start += UUID_LENGTH) {
        if (nextInPool === pool.length) {
          randomFillSync(pool);
          nextInPool = 0;
        }
        writeUuid(bytes, start, pool, nextInPool);
        nextInPool += UUID_BYTES;
      }
      text = bytes.toString("latin1");
      next = 0;
    }
    next += UUID_LENGTH;
    return text.slice(next - UUID_LENGTH, next);
  };
}

// https://www.rfc-editor.org/rfc/rfc9562#section-5.4
function writeUuid(target: Buffer, start: number, random: Buffer, from: number): void {
  random[from + 6] = ((random[from + 6] as number) & 0x0f) | 0x40;
  random[from + 8] = ((random[from + 8] as number) & 0x3f) | 0x80;
  for (let i = 0; i < UUID_BYTES; i++) {
    const byte = random[from + i] as number;
    const at = start + (PAIR_OFFSETS[i] as number);
    target[at] = DIGITS[byte >> 4] as number;
    target[at + 1] = DIGITS[byte & 0x0f] as number;
  }
}

export const systemRandomness: Randomness = {
  bytes: (count) => randomBytes(count),
  uuid: createUuidSource(),
  unit: () => Math.random(),
};

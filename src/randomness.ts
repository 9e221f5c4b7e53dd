// The only place that draws random numbers. Everything else is handed a Randomness, so that a test can repeat itself.
import { randomBytes, randomUUID } from "node:crypto";

/** Random values, as the rest of the program sees them. */
export interface Randomness {
  /** `count` bytes fit for a secret. */
  bytes(count: number): Uint8Array;
  /** A version 4 UUID, lower case. */
  uuid(): string;
  /** A number from 0 up to but not including 1, for jitter and choice; not for secrets. */
  unit(): number;
}

/** The machine's randomness. */
export const systemRandomness: Randomness = {
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
  unit: () => Math.random(),
};

// Random text of digits and letters, for what people copy: it has no character that a shell, a URL or a double click stops at.
import type { Randomness } from "./randomness.ts";

/** The digits: 0 to 9, A to Z, a to z. */
export const BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// The largest multiple of 62 that a byte can reach: bytes from there on are drawn again, else the first 8 digits came up more often.
const BYTE_LIMIT = 256 - (256 % BASE62_DIGITS.length);

/** Draws a text of that many digits: 5.95 bits each, fit for a secret. */
export function drawBase62(randomness: Pick<Randomness, "bytes">, length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomness.bytes(length)) {
      if (byte < BYTE_LIMIT && text.length < length) {
        text += BASE62_DIGITS[byte % BASE62_DIGITS.length];
      }
    }
  }
  return text;
}

// Random text of digits and letters, for people to copy: no character in it is special in a shell or a URL, and a double click selects all
// of it.
import type { Randomness } from "./randomness.ts";

/** The digits: 0 to 9, A to Z, a to z. */
export const BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// The largest multiple of 62 up to 256. Bytes that are not below it are skipped; otherwise the first 8 digits would be more frequent.
const BYTE_LIMIT = 256 - (256 % BASE62_DIGITS.length);

/** A random string of `length` digits, 5.95 bits each, fit for a secret. */
export function randomBase62(randomness: Pick<Randomness, "bytes">, length: number): string {
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

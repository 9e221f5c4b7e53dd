// Recovery codes: each can be used once instead of an authenticator's code. They have 80 random bits, so that their SHA-256 can be stored
// without a salt, and use Crockford's base32, which people copy with few mistakes. https://www.crockford.com/base32.html
import type { Randomness } from "../runtime/randomness.ts";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const CODE_COUNT = 10;
const CODE_LENGTH = 16;
const SHAPE = new RegExp(`^[${ALPHABET}]{${CODE_LENGTH}}$`);

/** 10 codes such as `k4v7-0q2m-x9ta-83hd`. */
export const generateRecoveryCodes = (randomness: Pick<Randomness, "bytes">): readonly string[] =>
  Array.from({ length: CODE_COUNT }, () => {
    const characters = Array.from(randomness.bytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]);
    return [0, 4, 8, 12].map((start) => characters.slice(start, start + 4).join("")).join("-");
  });

/**
 * A code as it is hashed: without spaces and dashes, in lower case, with digits for the letters that look like them. Undefined if the
 * string is not a code.
 */
export function plainRecoveryCode(text: string): string | undefined {
  const plain = text.replaceAll(/[\s-]/g, "").toLowerCase().replaceAll(/[il]/g, "1").replaceAll("o", "0");
  return SHAPE.test(plain) ? plain : undefined;
}

// API keys: a prefix, 32 random characters, and a checksum of 6 characters. The checksum is the CRC-32 of all characters before it, in base
// 62 (digits, upper case, lower case), padded with zeros on the left. It is not a secret. With it, a mistyped key is refused without asking
// the store, and scanners can tell a leaked key from text that looks like one. No refusal contains a key or a part of one.
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
/** How many letters and digits follow the prefix. */
export const KEY_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH;
// Longer text is not a key, whatever its prefix.
const HEADER_LENGTH_MAX = 200;

const BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// The largest multiple of 62 up to 256. Bytes that are not below it are skipped; otherwise the first 8 digits would be more frequent.
const BYTE_LIMIT = 256 - (256 % BASE62_DIGITS.length);

/** A source of random bytes that are fit for a secret. */
export interface RandomSource {
  bytes(count: number): Uint8Array;
}

/** A random string of `length` letters and digits, 5.95 bits each, fit for a secret. */
export function randomBase62(random: RandomSource, length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < BYTE_LIMIT && text.length < length) {
        text += BASE62_DIGITS[byte % BASE62_DIGITS.length];
      }
    }
  }
  return text;
}

/** The SHA-256 of a secret, lower-case hex: what is stored instead. Secrets are random and long, so no salt is needed. */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** A new key. */
export interface GeneratedKey {
  /** The key itself: shown to its owner once, then forgotten. */
  readonly secret: string;
  /** The SHA-256 of the secret, lower-case hex: what is stored. */
  readonly hash: string;
  /** For display: the fixed part, which reveals no part of the secret. */
  readonly prefix: string;
  /** For display: the last four characters. */
  readonly lastFour: string;
}

/**
 * What a header contains. `several`: more than one key. `shape`: something else than a key. `checksum`: a mistyped key. `ok`: well formed;
 * only the store knows whether anybody owns it.
 */
export type ParsedKey =
  | { readonly kind: "missing" | "several" | "shape" | "checksum" }
  | { readonly kind: "ok"; readonly key: string };

const SYSTEM_RANDOM: RandomSource = { bytes: (count) => randomBytes(count) };

export class KeyFormat {
  readonly #shape: RegExp;

  /** `prefix`: what keys begin with, such as `ek_live_`, or a pattern if there are several. */
  constructor(prefix: string | RegExp) {
    const start = typeof prefix === "string" ? RegExp.escape(prefix) : prefix.source;
    this.#shape = new RegExp(`^(?:${start})[0-9A-Za-z]{${KEY_LENGTH}}$`);
  }

  /** Creates a key of 190 random bits. Throws a RangeError if the format does not have this prefix. */
  generate(prefix: string, random: RandomSource = SYSTEM_RANDOM): GeneratedKey {
    const body = prefix + randomBase62(random, RANDOM_LENGTH);
    const secret = body + checksum(body);
    if (!this.#shape.test(secret)) {
      throw new RangeError(`Keys of this format do not begin with ${prefix}.`);
    }
    return { secret, hash: hashSecret(secret), prefix, lastFour: secret.slice(-4) };
  }

  /** Reads a header as sent. Several headers reach servers as one, joined by commas. */
  parse(header: string | undefined): ParsedKey {
    if (header === undefined || header === "") {
      return { kind: "missing" };
    }
    if (header.length <= HEADER_LENGTH_MAX && this.#shape.test(header)) {
      return checksum(header.slice(0, -CHECKSUM_LENGTH)) === header.slice(-CHECKSUM_LENGTH)
        ? { kind: "ok", key: header }
        : { kind: "checksum" };
    }
    return { kind: header.includes(",") ? "several" : "shape" };
  }
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62_DIGITS.charAt(rest % BASE62_DIGITS.length) + digits;
    rest = Math.floor(rest / BASE62_DIGITS.length);
  }
  return digits;
}

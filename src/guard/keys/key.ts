// The API key. It consists of the prefix `qk_live_`, or `qk_test_` if a sandbox created it; the two digits of its cell, if the server that
// created it is in one; 32 random characters; and a checksum of 6 characters. The checksum is the CRC-32 of all characters before it, in
// base 62 (digits, upper case, lower case), padded with zeros on the left. It is not a secret. With it, a mistyped key is refused without
// querying the store, and scanners can tell a leaked key from text that looks like one. A proxy reads the cell to find the servers that
// know the key; the servers themselves accept every key that their store has. No message from this file contains a key or a part of one.
import { crc32 } from "node:zlib";
import type { Randomness } from "../../runtime/randomness.ts";
import { BASE62_DIGITS, randomBase62 } from "../../runtime/randomness.ts";
import { hashSecret } from "../../runtime/secret-hash.ts";

/** The prefixes of keys: a server's, and a sandbox's, which no other server accepts. */
export const KEY_PREFIXES = { live: "qk_live_", sandbox: "qk_test_" } as const;
/** One of these, with or without the digits of a cell. */
export type KeyPrefix = `${(typeof KEY_PREFIXES)[keyof typeof KEY_PREFIXES]}${string}`;

const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const CELL_LENGTH = 2;
const KEY_LENGTH = KEY_PREFIXES.live.length + RANDOM_LENGTH + CHECKSUM_LENGTH;
const KEY_SHAPE = new RegExp(
  `^(?:${KEY_PREFIXES.live}|${KEY_PREFIXES.sandbox})(?:\\d{${CELL_LENGTH}})?[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`,
);

/** What follows the prefix, for messages. */
export const KEY_REST = `${RANDOM_LENGTH + CHECKSUM_LENGTH} or ${CELL_LENGTH + RANDOM_LENGTH + CHECKSUM_LENGTH} letters and digits`;

/** The prefix of keys that are created for a server. `cell`: its two digits; undefined if there is only one cell. */
export const keyPrefixOf = ({
  isSandbox,
  cell = "",
}: {
  readonly isSandbox: boolean;
  readonly cell: string | undefined;
}): KeyPrefix => `${isSandbox ? KEY_PREFIXES.sandbox : KEY_PREFIXES.live}${cell}`;

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

/** What an `x-gateway-key` header contains. */
export type ParsedKey =
  | { readonly kind: "missing" }
  /** `message` is a sentence for the caller. */
  | { readonly kind: "malformed"; readonly message: string }
  /** Well formed; only the store knows whether anybody owns it. */
  | { readonly kind: "ok"; readonly key: string };

/** Creates a key of 190 random bits. */
export function generateKey(randomness: Pick<Randomness, "bytes">, prefix: KeyPrefix = KEY_PREFIXES.live): GeneratedKey {
  const body = prefix + randomBase62(randomness, RANDOM_LENGTH);
  const secret = body + checksum(body);
  return { secret, hash: hashSecret(secret), prefix, lastFour: secret.slice(-4) };
}

/** Reads the `x-gateway-key` header as sent. Several headers reach us as one, joined by commas. */
export function parseKey(header: string | undefined): ParsedKey {
  if (header === undefined || header === "") {
    return { kind: "missing" };
  }
  if (header.length <= KEY_LENGTH + CELL_LENGTH && KEY_SHAPE.test(header)) {
    return checksum(header.slice(0, -CHECKSUM_LENGTH)) === header.slice(-CHECKSUM_LENGTH)
      ? { kind: "ok", key: header }
      : { kind: "malformed", message: "The API key is mistyped: its checksum does not match. Copy the whole key again." };
  }
  const message = header.includes(",")
    ? "Send exactly one API key, in one x-gateway-key header."
    : `The x-gateway-key header does not contain a Quintet API key: a key is ${KEY_PREFIXES.live} (${KEY_PREFIXES.sandbox} in a sandbox) followed by ${KEY_REST}.`;
  return { kind: "malformed", message };
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

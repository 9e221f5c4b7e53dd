// The API key: the prefix `qk_live_`, or `qk_test_` if a sandbox created it; the two digits of its cell, if the server that created it is
// in one; and what follows in every key of @quintet/guard. A proxy reads the cell to find the servers that know the key; the servers
// themselves accept every key that their store has. No message from this file contains a key or a part of one.
import { type GeneratedKey, KEY_LENGTH, KeyFormat, type RandomSource } from "@quintet/guard";

/** The prefixes of keys: a server's, and a sandbox's, which no other server accepts. */
export const KEY_PREFIXES = { live: "qk_live_", sandbox: "qk_test_" } as const;
/** One of these, with or without the digits of a cell. */
export type KeyPrefix = `${(typeof KEY_PREFIXES)[keyof typeof KEY_PREFIXES]}${string}`;

const CELL_LENGTH = 2;
const FORMAT = new KeyFormat(new RegExp(`(?:${KEY_PREFIXES.live}|${KEY_PREFIXES.sandbox})(?:\\d{${CELL_LENGTH}})?`));

/** What follows the prefix, for messages. */
export const KEY_REST = `${KEY_LENGTH} or ${CELL_LENGTH + KEY_LENGTH} letters and digits`;

/** The prefix of keys that are created for a server. `cell`: its two digits; undefined if there is only one cell. */
export const keyPrefixOf = ({
  isSandbox,
  cell = "",
}: {
  readonly isSandbox: boolean;
  readonly cell: string | undefined;
}): KeyPrefix => `${isSandbox ? KEY_PREFIXES.sandbox : KEY_PREFIXES.live}${cell}`;

/** What an `x-gateway-key` header contains. */
export type ParsedKey =
  | { readonly kind: "missing" }
  /** `message` is a sentence for the caller. */
  | { readonly kind: "malformed"; readonly message: string }
  /** Well formed; only the store knows whether anybody owns it. */
  | { readonly kind: "ok"; readonly key: string };

/** Creates a key of 190 random bits. */
export const generateKey = (randomness: RandomSource, prefix: KeyPrefix = KEY_PREFIXES.live): GeneratedKey =>
  FORMAT.generate(prefix, randomness);

const MALFORMED = {
  several: "Send exactly one API key, in one x-gateway-key header.",
  shape: `The x-gateway-key header does not contain a Quintet API key: a key is ${KEY_PREFIXES.live} (${KEY_PREFIXES.sandbox} in a sandbox) followed by ${KEY_REST}.`,
  checksum: "The API key is mistyped: its checksum does not match. Copy the whole key again.",
} as const;

/** Reads the `x-gateway-key` header as sent. Several headers reach us as one, joined by commas. */
export function parseKey(header: string | undefined): ParsedKey {
  const parsed = FORMAT.parse(header);
  return parsed.kind === "ok" || parsed.kind === "missing"
    ? (parsed as ParsedKey)
    : { kind: "malformed", message: MALFORMED[parsed.kind] };
}

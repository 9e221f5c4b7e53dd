// Token addresses in their two forms: `0x` and 40 hexadecimal digits, which is case-insensitive, and base58, which is not. Everything that
// reads addresses uses these rules.
import { keccak_256 } from "@noble/hashes/sha3.js";
import { isNamedChain } from "./chains.ts";
import { SOLANA_ID } from "./main-networks.ts";

const HEX = "[0-9A-Fa-f]";
// Without 0, O, I and l. 32 bytes take 32 to 44 of these characters.
const BASE58 = "[1-9A-HJ-NP-Za-km-z]";
const EVM_PATTERN = new RegExp(`^0[xX]${HEX}{40}$`);
const BASE58_PATTERN = new RegExp(`^${BASE58}{32,44}$`);
// What people and pages put in the place of an address's middle.
const GAP = String.raw`(?:…|\.{2,6}|\*{2,6})`;
// Up to 40 digits; in a shortened address, also the digits after the gap.
const EVM_IN_TEXT = new RegExp(`(?<![0-9A-Za-z])(0[xX])?(${HEX}{3,40})(?:${GAP}(${HEX}{2,38}))?(?![0-9A-Za-z])`, "g");
const BASE58_IN_TEXT = new RegExp(`(?<![0-9A-Za-z])(${BASE58}{2,44})(?:${GAP}(${BASE58}{2,42}))?(?![0-9A-Za-z])`, "g");

/** Whether the string is `0x` and 40 hexadecimal digits. */
export const isEvmAddress = (address: string): boolean => EVM_PATTERN.test(address);

/** Whether the string is 32 to 44 base58 characters, as a Solana mint is. */
export const isBase58Address = (address: string): boolean => BASE58_PATTERN.test(address);

/**
 * Whether tokens of the chain can have such an address: base58 on Solana, hexadecimal on other known chains, either form on
 * unknown ones.
 */
export function isAddressOn(chainId: number, address: string): boolean {
  if (chainId === SOLANA_ID) {
    return isBase58Address(address);
  }
  return isEvmAddress(address) || (!isNamedChain(chainId) && isBase58Address(address));
}

/** What addresses of tokens on the chain look like, for messages. */
export const addressRule = (chainId: number | undefined): string =>
  chainId === SOLANA_ID ? "32 to 44 base58 characters on solana" : "0x and 40 hexadecimal digits";

/** The canonical spelling for comparison: lower case for EVM addresses, base58 unchanged. */
export const plainAddress = (address: string): string => (isEvmAddress(address) ? address.toLowerCase() : address);

/** The displayed spelling: EVM addresses with the checksum of EIP-55, base58 unchanged. Takes a plain address. */
export function shownAddress(plain: string): string {
  if (!isEvmAddress(plain)) {
    return plain;
  }
  const digits = plain.slice(2);
  const hash = keccak_256(Buffer.from(digits, "latin1"));
  let shown = "0x";
  for (let index = 0; index < digits.length; index += 1) {
    const byte = hash[index >> 1] ?? 0;
    // A letter is upper case if the hash digit at its position is 8 or more.
    const high = index % 2 === 0 ? byte >= 0x80 : (byte & 0x0f) >= 0x08;
    const digit = digits.charAt(index);
    shown += high ? digit.toUpperCase() : digit;
  }
  return shown;
}

export const tokenKey = (chainId: number, plain: string): string => `${chainId}:${plain}`;

/** The beginning and end of an address in a text. */
export interface AddressPattern {
  readonly kind: "evm" | "base58";
  /** In lower case and with `0x` on EVM chains. */
  readonly start: string;
  /** Empty if only the beginning is known. */
  readonly end: string;
  /** As it stands in the text. */
  readonly written: string;
}

/** Whether it is an address from beginning to end. */
export const isWholeAddress = ({ start }: AddressPattern): boolean => isEvmAddress(start) || isBase58Address(start);

// A shorter run of digits or letters without a gap is more often a word than an address.
const RUN_MIN = 8;

/** What may be addresses in a text, whole ones first: whole, shortened, without `0x`, or only their beginnings. */
export function addressesIn(text: string): readonly AddressPattern[] {
  const found: AddressPattern[] = [];
  for (const [written, prefix, digits = "", end = ""] of text.matchAll(EVM_IN_TEXT)) {
    // A number may be a chain's id.
    const isMixed = /\d/.test(written) && /[A-Za-z]/.test(written);
    if (prefix !== undefined || digits.length === 40 || ((end !== "" || digits.length >= RUN_MIN) && isMixed)) {
      found.push({ kind: "evm", start: `0x${digits.toLowerCase()}`, end: end.toLowerCase(), written });
    }
  }
  for (const [written, start = "", end = ""] of text.matchAll(BASE58_IN_TEXT)) {
    // A word of letters in one case is not an address, unless it is as long as one.
    const isMixed = /[a-z]/.test(written) && /[A-Z]/.test(written);
    if (isBase58Address(start) || (isMixed && start.length >= RUN_MIN) || (end !== "" && (isMixed || /\d/.test(written)))) {
      found.push({ kind: "base58", start, end, written });
    }
  }
  return found.sort((one, other) => Number(isWholeAddress(other)) - Number(isWholeAddress(one)));
}

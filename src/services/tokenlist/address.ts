// Token addresses in their two forms: `0x` and 40 hexadecimal digits, which is case-insensitive, and base58, which is not.
import { keccak_256 } from "@noble/hashes/sha3.js";
import { isNamedChain } from "../chains/chains.ts";
import { SOLANA_ID } from "../chains/main-networks.ts";

const EVM_PATTERN = /^0x[0-9a-f]{40}$/i;
const BASE58_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

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

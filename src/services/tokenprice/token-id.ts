// Parses token identifiers, `chain:address` and `coingecko:slug`, and normalizes them. Pure.
import type { Violation } from "../../problem/problem.ts";
import { isBase58Address, isEvmAddress, plainAddress } from "../chains/addresses.ts";
import { addressKindOf, listNameOf, shortSpelling, sourceNameOf } from "./source/chains.ts";

export interface Token {
  /** The caller's own spelling. */
  readonly requested: string;
  /** The same for all spellings of a token. */
  readonly id: string;
}

// https://standards.chainagnostic.org/CAIPs/caip-10 and caip-19, for EVM chains and Solana.
const CAIP_ID =
  /^(?:eip155:(?<id>\d{1,16})|(?<solana>solana):5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp)(?::|\/(?:erc20|token):)(?<address>[^:/]+)$/i;
// What can be sent to the source: anything but its separator and what is no text. CoinGecko has slugs such as `boringdao-[old]` and
// `academy token`, and Move's types have brackets.
const SENDABLE = /^(?! )[^,\p{Cc}\p{Cs}]{1,128}$/u;
const CHAIN_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/**
 * The tokens of a request in its order, each spelling once, and a violation for each string that is not a token. `tokens[3]` is the
 * fourth.
 */
export function readTokens(texts: readonly string[]): {
  readonly tokens: readonly Token[];
  readonly violations: readonly Violation[];
} {
  const tokens = new Map<string, Token>();
  const violations: Violation[] = [];
  for (const [index, requested] of texts.entries()) {
    const read = readTokenId(requested);
    if ("fault" in read) {
      violations.push({ field: `tokens[${index}]`, description: read.fault });
    } else {
      tokens.set(requested, { requested, id: read.id });
    }
  }
  return { tokens: [...tokens.values()], violations };
}

/** A token's id, or what is wrong with the string, without a full stop. */
export function readTokenId(given: string): { readonly id: string } | { readonly fault: string } {
  const text = given.trim();
  const { id, solana, address: caipAddress = "" } = CAIP_ID.exec(text)?.groups ?? {};
  if (id !== undefined || solana !== undefined) {
    return readAddress(sourceNameOf(id ?? "solana"), caipAddress);
  }
  const colon = text.indexOf(":");
  const chain = text.slice(0, Math.max(colon, 0)).toLowerCase();
  const address = text.slice(colon + 1);
  if (!CHAIN_NAME.test(chain) || address === "") {
    return {
      fault:
        "must be chain:address or coingecko:slug, such as ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 or coingecko:bitcoin",
    };
  }
  if (chain === "coingecko") {
    const slug = address.toLowerCase();
    return SENDABLE.test(slug)
      ? { id: `coingecko:${slug}` }
      : { fault: "must have a slug of 1 to 128 characters without commas and control characters, such as coingecko:bitcoin" };
  }
  return readAddress(sourceNameOf(chain), address);
}

function readAddress(chain: string, address: string): { readonly id: string } | { readonly fault: string } {
  switch (addressKindOf(chain)) {
    case "evm":
      return isEvmAddress(address)
        ? { id: `${chain}:${address.toLowerCase()}` }
        : { fault: `must have an address of 0x and 40 hexadecimal digits, like all addresses on ${chain}` };
    case "solana":
      return isBase58Address(address)
        ? { id: `${chain}:${address}` }
        : { fault: "must have an address of 32 to 44 base58 characters, like all addresses on solana" };
    case "other":
      if (!SENDABLE.test(address)) {
        return { fault: "must have an address of 1 to 128 characters without commas and control characters" };
      }
      // In an address of EVM's form, case is at most a checksum, so it is made lower case on every chain.
      return { id: shortSpelling(`${chain}:${plainAddress(address)}`) };
  }
}

/** A token's id with the chain's name as the token list service has it, from one with the price source's name. */
export function canonicalId(id: string): string {
  const colon = id.indexOf(":");
  return listNameOf(id.slice(0, colon)) + id.slice(colon);
}

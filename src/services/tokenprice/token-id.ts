// Parses token identifiers, `chain:address` and `coingecko:slug`, and normalizes them. Pure.
import type { Violation } from "../../problem/problem.ts";
import { isBase58Address, isEvmAddress, plainAddress } from "../chains/addresses.ts";
import { addressKindOf, sourceNameOf } from "./source/chains.ts";

export interface Token {
  /** The caller's own spelling; the first one if there are several. */
  readonly requested: string;
  /** The price source's spelling, the same for all spellings of the caller. */
  readonly id: string;
}

// https://standards.chainagnostic.org/CAIPs/caip-10 and caip-19, for EVM chains and Solana.
const CAIP_ID =
  /^(?:eip155:(?<id>\d{1,16})|(?<solana>solana):5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp)(?::|\/(?:erc20|token):)(?<address>[^:/]+)$/i;
// Wide enough for Move's `0x2::sui::SUI`, Cosmos's `ibc/27394FB…` and Stacks's `SP….name`. Characters with a meaning in a URL or a
// list, such as `?` and `,`, are excluded.
const OTHER_ADDRESS = /^[A-Za-z0-9._:/+-]{1,128}$/;
const CHAIN_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const SLUG = /^[a-z0-9_-][a-z0-9._-]{0,99}$/;

/**
 * The distinct tokens of a request, in the order of their first mention, and a violation for each string that is not a token.
 * `tokens[3]` is the fourth.
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
    } else if (!tokens.has(read.id)) {
      tokens.set(read.id, { requested, id: read.id });
    }
  }
  return { tokens: [...tokens.values()], violations };
}

/** The price source's spelling of a token, or what is wrong with the string, without a full stop. */
export function readTokenId(text: string): { readonly id: string } | { readonly fault: string } {
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
    const id = address.toLowerCase();
    return SLUG.test(id)
      ? { id: `coingecko:${id}` }
      : { fault: "must have a slug of letters, digits, dots, dashes and underscores, such as coingecko:bitcoin" };
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
      if (!OTHER_ADDRESS.test(address)) {
        return { fault: "must have an address of 1 to 128 letters, digits and the characters . _ : / + -" };
      }
      // In an address of EVM's form, case is at most a checksum, so it is made lower case on every chain.
      return { id: `${chain}:${plainAddress(address)}` };
  }
}

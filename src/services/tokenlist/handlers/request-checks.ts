// Checks the chains, addresses and pages of requests. Reports all violations at once.

import { withoutSecrets } from "@quintet/transcoding";
import { Failure } from "../../../problem/failure.ts";
import { invalidArgument, type Violation } from "../../../problem/problem.ts";
import { addressRule, isAddressOn, isBase58Address, isEvmAddress, plainAddress } from "../../chains/addresses.ts";
import { chainIdOf, isNamedChain, nearestChainName } from "../../chains/chains.ts";
import type { Place } from "../index/place-table.ts";
import type { TokenIndex } from "../index/token-index.ts";

/** The default number of tokens per page. */
export const LIMIT_DEFAULT = 100;

/** The most violations in a response. */
const VIOLATIONS_MAX = 20;

// A token of a batch: `chain:address`.
const TOKEN = /^\s*([^:]+?)\s*:\s*(.+?)\s*$/;

/**
 * The places of tokens written `chain:address`, each spelling once. The id of a chain on which no list has tokens is no fault: its tokens
 * are missing. Throws INVALID_ARGUMENT.
 */
export function readPlaces(tokens: readonly string[], index: TokenIndex): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const violations: Violation[] = [];
  for (const [at, token] of tokens.entries()) {
    const place = readToken(token, index);
    if (typeof place === "string") {
      violations.push({ field: `tokens[${at}]`, description: place });
    } else {
      places.set(token, place);
    }
  }
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations.slice(0, VIOLATIONS_MAX)));
  }
  return places;
}

// The place, or what is wrong with the token.
function readToken(token: string, index: TokenIndex): Place | string {
  const [, chain, address] = TOKEN.exec(token) ?? [];
  if (chain === undefined || address === undefined) {
    return "must be chain:address, such as ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
  }
  const chainId = chainIdOf(chain) ?? readChain(chain, index);
  if (typeof chainId !== "number") {
    return chainId.description.replace(/^must be/, "must begin with");
  }
  return isAddressOn(chainId, address)
    ? { chainId, address: plainAddress(address) }
    : `must have an address of ${addressRule(chainId)}`;
}

// The chain's id, or what is wrong with it.
function readChain(chain: string, { chainIds }: TokenIndex): number | Violation {
  const id = chainIdOf(chain);
  if (id !== undefined && (isNamedChain(id) || chainIds.has(id))) {
    return id;
  }
  const near = id === undefined ? nearestChainName(chain) : undefined;
  const suggestion = near === undefined ? "" : `; did you mean \`${near}\`?`;
  return {
    field: "chain",
    description: `must be the ID or name of a chain that a token list includes; "${withoutSecrets(chain)}" is not${suggestion}`,
  };
}

function addressFault(address: string, chainId: number | undefined): Violation | undefined {
  // If the chain is wrong too, the address may have either form.
  const fits = chainId === undefined ? isEvmAddress(address) || isBase58Address(address) : isAddressOn(chainId, address);
  if (fits) {
    return undefined;
  }
  return { field: "address", description: `must be ${addressRule(chainId)}` };
}

/** The place of a token. Throws INVALID_ARGUMENT. */
export function readPlace(request: { readonly chain: string; readonly address: string }, index: TokenIndex): Place {
  const address = request.address.trim();
  const chain = readChain(request.chain, index);
  const chainId = typeof chain === "number" ? chain : undefined;
  const fault = addressFault(address, chainId);
  if (typeof chain !== "number" || fault !== undefined) {
    const violations = [...(typeof chain === "number" ? [] : [chain]), ...(fault === undefined ? [] : [fault])];
    throw new Failure(invalidArgument(violations));
  }
  return { chainId: chain, address: plainAddress(address) };
}

/** The chain to filter by; undefined if none is given. Throws INVALID_ARGUMENT. */
export function readChainFilter(chain: string, index: TokenIndex): number | undefined {
  if (chain.trim() === "") {
    return undefined;
  }
  const read = readChain(chain, index);
  if (typeof read !== "number") {
    throw new Failure(invalidArgument([read]));
  }
  return read;
}

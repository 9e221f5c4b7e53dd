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

// Finds tokens by the beginning and the end of their addresses.
import type { AddressPattern } from "../../chains/addresses.ts";
import { sortedInTurns, type Yielder } from "../cooperative-yield.ts";
import { partitionPoint } from "../partition-point.ts";

export interface AddressIndex {
  /** The tokens with a plain address, on any chain, best first. */
  at(address: string): readonly number[];
  /** The tokens with an address of this pattern, best first. Finds nothing for a beginning that too many tokens share. */
  like(pattern: AddressPattern): readonly number[];
}

/** If more tokens match, the pasted part of an address is too short to mean any of them. */
const TOKENS_MAX = 500;

/** Collects the plain addresses of `count` tokens. Yields to the event loop as it goes. */
export async function createAddressIndex(
  count: number,
  addressAt: (token: number) => string,
  turns: Yielder,
): Promise<AddressIndex> {
  const byAddress = new Map<string, number[]>();
  for (let token = 0; token < count; token += 1) {
    const address = addressAt(token);
    const same = byAddress.get(address);
    if (same === undefined) {
      byAddress.set(address, [token]);
    } else {
      same.push(token);
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  const ordered = await sortedInTurns([...byAddress.keys()], (one, other) => (one < other ? -1 : 1), turns);
  return {
    at: (address) => byAddress.get(address) ?? [],
    like({ start, end }) {
      const found: number[] = [];
      const first = partitionPoint(ordered.length, (at) => (ordered[at] as string) < start);
      for (let at = first; ordered[at]?.startsWith(start) === true; at += 1) {
        const address = ordered[at] as string;
        if (address.endsWith(end) && address.length >= start.length + end.length) {
          found.push(...(byAddress.get(address) ?? []));
        }
        if (found.length > TOKENS_MAX) {
          return [];
        }
      }
      return found.sort((one, other) => one - other);
    },
  };
}

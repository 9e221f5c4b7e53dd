// Builds the messages that describe tokens. Each is built once, together with the index, and shared by all responses.
import { create } from "@bufbuild/protobuf";
import { DecimalsConflictSchema, type Token, TokenSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { shownAddress } from "../../chains/addresses.ts";
import { chainName } from "../../chains/chains.ts";
import type { ListedEntry, TokenFields } from "../index/canonical.ts";

/** The entries of one token in the order of the lists. Entries of the same list keep their order. */
export type ListedEntries = readonly [ListedEntry, ...ListedEntry[]];

/** Builds the message for a token that these lists contain, with these values. */
export type MakeToken = (listedEntries: ListedEntries, fields: TokenFields) => Token;

/** Creates the function that builds messages, for lists with these names, in the order of the lists. */
export function createTokenMessages(listNames: readonly string[]): MakeToken {
  const nameOf = (listIndex: number): string => listNames[listIndex] ?? "";
  // Few combinations of lists occur, and most tokens share one of them.
  const sharedLists = new Map<string, string[]>();
  const listsOf = (listedEntries: ListedEntries): string[] => {
    const names = [...new Set(listedEntries.map(({ listIndex }) => nameOf(listIndex)))];
    const key = names.join();
    const shared = sharedLists.get(key) ?? names;
    sharedLists.set(key, shared);
    return shared;
  };
  return (listedEntries, { name, symbol, decimals, logo, logoIpfs }) => {
    const { chainId, address } = listedEntries[0].entry;
    const others = listedEntries.filter(({ entry }) => entry.decimals !== decimals);
    const conflicts = [...new Map(others.map((other) => [`${other.listIndex} ${other.entry.decimals}`, other])).values()].map(
      ({ listIndex, entry }) => create(DecimalsConflictSchema, { list: nameOf(listIndex), decimals: entry.decimals }),
    );
    return create(TokenSchema, {
      name,
      symbol,
      decimals,
      ...(logo === undefined ? {} : { logo }),
      ...(logoIpfs === undefined ? {} : { logoIpfs }),
      chainId: BigInt(chainId),
      chain: chainName(chainId),
      address: shownAddress(address),
      id: `${chainName(chainId)}:${address}`,
      lists: listsOf(listedEntries),
      conflicts,
    });
  };
}

// Makes the messages of tokens. Each is made once, when the index is built, and all answers share it.
import { create } from "@bufbuild/protobuf";
import { DecimalsConflictSchema, type Token, TokenSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { chainName } from "../../chains/chains.ts";
import { shownAddress } from "../address.ts";
import type { Testimony, TokenFields } from "../index/canonical.ts";

/** The entries of one token, in the order of the lists. Entries of the same list keep their order. */
export type Testimonies = readonly [Testimony, ...Testimony[]];

/** Makes the message of a token that these lists carry, with these values. */
export type MakeToken = (testimonies: Testimonies, fields: TokenFields) => Token;

/** Messages for lists with these names, in their order. */
export function createTokenMessages(listNames: readonly string[]): MakeToken {
  const nameOf = (listIndex: number): string => listNames[listIndex] ?? "";
  // Few combinations of lists occur, and most tokens have one of them.
  const carriers = new Map<string, string[]>();
  const listsOf = (testimonies: Testimonies): string[] => {
    const names = [...new Set(testimonies.map(({ listIndex }) => nameOf(listIndex)))];
    const key = names.join();
    const shared = carriers.get(key) ?? names;
    carriers.set(key, shared);
    return shared;
  };
  return (testimonies, { name, symbol, decimals, logo }) => {
    const { chainId, address } = testimonies[0].entry;
    const others = testimonies.filter(({ entry }) => entry.decimals !== decimals);
    const conflicts = [...new Map(others.map((other) => [`${other.listIndex} ${other.entry.decimals}`, other])).values()].map(
      ({ listIndex, entry }) => create(DecimalsConflictSchema, { list: nameOf(listIndex), decimals: entry.decimals }),
    );
    return create(TokenSchema, {
      name,
      symbol,
      decimals,
      ...(logo === undefined ? {} : { logo }),
      chainId,
      chain: chainName(chainId),
      address: shownAddress(address),
      lists: listsOf(testimonies),
      conflicts,
    });
  };
}

// The merged index of all lists. Building it yields to the event loop. It never changes afterwards, and is replaced as a whole when
// a list changes.
import type { Token } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { type AddressPattern, plainAddress, tokenKey } from "../../chains/addresses.ts";
import { networkKindOf } from "../../chains/chains.ts";
import { sortedInTurns, type Yielder } from "../cooperative-yield.ts";
import { createTokenMessages, type ListedEntries, type MakeToken } from "../handlers/token-messages.ts";
import { allEntries, type CheckedList } from "../lists/checked-list.ts";
import { partitionPoint } from "../partition-point.ts";
import { NETWORK_ORDER } from "../search/found-tokens.ts";
import { buildSearchIndex, type SearchIndex } from "../search/search-index.ts";
import type { SearchedToken } from "../search/search-texts.ts";
import { isPlainSymbol } from "../search/words.ts";
import { type BridgeLinks, gatherBridgeLinks } from "./bridge-links.ts";
import { canonicalFields, type ListedEntry } from "./canonical.ts";
import { findHomeTokens, type HomeTokens } from "./home-tokens.ts";
import { type Place, PlaceTable } from "./place-table.ts";

// Finds tokens by the beginning and the end of their addresses.
interface AddressIndex {
  /** The tokens with a plain address, on any chain, best first. */
  at(address: string): readonly number[];
  /** The tokens with an address of this pattern, best first. Finds nothing for a beginning that too many tokens share. */
  like(pattern: AddressPattern): readonly number[];
}

/** If more tokens match, the pasted part of an address is too short to mean any of them. */
const TOKENS_MAX = 500;

/** Collects the plain addresses of `count` tokens. Yields to the event loop as it goes. */
async function createAddressIndex(count: number, addressAt: (token: number) => string, turns: Yielder): Promise<AddressIndex> {
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

/** A list and the name that callers use for it; `checked` is undefined until it has been read. */
export interface NamedList {
  readonly name: string;
  readonly checked: CheckedList | undefined;
}

export interface IndexedList extends NamedList {
  /** Its tokens, in its own order and with its own values. */
  readonly tokens: readonly Token[];
  /** The same by chain id. */
  readonly tokensByChain: ReadonlyMap<number, readonly Token[]>;
}

/** The index. All responses share its messages, which must not be changed. */
export interface TokenIndex {
  /** In order of precedence when they disagree. */
  readonly lists: readonly IndexedList[];
  /** The ids of all chains on which any list has a token. */
  readonly chainIds: ReadonlySet<number>;
  /**
   * All tokens with their canonical values: main networks first and test networks last. Within each, tokens on more lists come
   * first, then the order of the lists counts.
   */
  readonly tokens: readonly Token[];
  /** Returns indexes into `tokens`. */
  readonly search: SearchIndex;
  readonly bridgeLinks: BridgeLinks;
  /** The token at a place, with its canonical values. */
  find(place: Place): Token | undefined;
  /** Returns indexes into `tokens`. */
  readonly addresses: AddressIndex;
}

export async function buildTokenIndex(lists: readonly NamedList[], turns: Yielder): Promise<TokenIndex> {
  const listedEntries = await gatherListedEntries(lists, turns);
  const makeToken = createTokenMessages(lists.map(({ name }) => name));
  const ordered = await sortedInTurns(
    [...listedEntries.values()],
    (left, right) => networkOrder(left) - networkOrder(right) || listCount(right) - listCount(left),
    turns,
  );
  const tokens: Token[] = [];
  const byKey = new Map<string, Token>();
  for (const each of ordered) {
    const token = makeToken(each, canonicalFields(each));
    const { chainId, address } = each[0].entry;
    tokens.push(token);
    byKey.set(tokenKey(chainId, address), token);
    if (turns.due()) {
      await turns.next();
    }
  }
  const indexedLists: IndexedList[] = [];
  for (const list of lists) {
    indexedLists.push(await indexList(list, byKey, listedEntries, makeToken, turns));
  }
  const bridgeLinks = await gatherBridgeLinks(
    lists.map(({ checked }) => checked),
    new PlaceTable(),
    turns,
  );
  const homes = await findHomeTokens(tokens, turns);
  const chainIds = new Set<number>();
  const searchedAt = (number: number): SearchedToken => {
    const searched = searchedToken(tokens[number] as Token, ordered[number] as ListedEntries, homes, number);
    chainIds.add(searched.chainId);
    return searched;
  };
  const search = await buildSearchIndex(tokens.length, searchedAt, turns);
  return {
    lists: indexedLists,
    chainIds,
    tokens,
    search,
    bridgeLinks,
    find: ({ chainId, address }) => byKey.get(tokenKey(chainId, address)),
    addresses: await createAddressIndex(tokens.length, (number) => plainAddress((tokens[number] as Token).address), turns),
  };
}

const networkOrder = ([{ entry }]: ListedEntries): number => NETWORK_ORDER[networkKindOf(entry.chainId)];

// Entries of the same list are adjacent.
function listCount(listedEntries: ListedEntries): number {
  let count = 0;
  for (const [at, { listIndex }] of listedEntries.entries()) {
    count += listIndex === listedEntries[at - 1]?.listIndex ? 0 : 1;
  }
  return count;
}

async function gatherListedEntries(lists: readonly NamedList[], turns: Yielder): Promise<Map<string, ListedEntries>> {
  const gathered = new Map<string, [ListedEntry, ...ListedEntry[]]>();
  for (const [listIndex, { checked }] of lists.entries()) {
    for (const entry of allEntries(checked)) {
      const key = tokenKey(entry.chainId, entry.address);
      const known = gathered.get(key);
      if (known === undefined) {
        gathered.set(key, [{ listIndex, entry }]);
      } else {
        known.push({ listIndex, entry });
      }
      if (turns.due()) {
        await turns.next();
      }
    }
  }
  return gathered;
}

async function indexList(
  { name, checked }: NamedList,
  byKey: ReadonlyMap<string, Token>,
  listedEntries: ReadonlyMap<string, ListedEntries>,
  makeToken: MakeToken,
  turns: Yielder,
): Promise<IndexedList> {
  const tokens: Token[] = [];
  const tokensByChain = new Map<number, Token[]>();
  for (const entry of checked?.entries ?? []) {
    const key = tokenKey(entry.chainId, entry.address);
    const canonical = byKey.get(key);
    const entriesOfToken = listedEntries.get(key);
    if (canonical !== undefined && entriesOfToken !== undefined) {
      const agrees =
        entry.name === canonical.name &&
        entry.symbol === canonical.symbol &&
        entry.decimals === canonical.decimals &&
        entry.logo === canonical.logo &&
        entry.logoIpfs === canonical.logoIpfs;
      const token = agrees ? canonical : makeToken(entriesOfToken, entry);
      tokens.push(token);
      const onChain = tokensByChain.get(entry.chainId);
      if (onChain === undefined) {
        tokensByChain.set(entry.chainId, [token]);
      } else {
        onChain.push(token);
      }
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  return { name, checked, tokens, tokensByChain };
}

function searchedToken(token: Token, listedEntries: ListedEntries, homes: HomeTokens, number: number): SearchedToken {
  const { symbol, name } = token;
  const chainId = Number(token.chainId);
  const names = homes.namesOf(number);
  const otherSymbols = new Set(listedEntries.map(({ entry }) => entry.symbol));
  const otherNames = new Set([...listedEntries.map(({ entry }) => entry.name), ...homes.homeNamesOf(number)]);
  otherSymbols.delete(symbol);
  otherNames.delete(name);
  return {
    chainId,
    symbol,
    otherSymbols: [...otherSymbols],
    names: [name, ...names],
    otherNames: [...otherNames],
    network: networkKindOf(chainId),
    listCount: token.lists.length,
    plain: isPlainSymbol(symbol),
    familiar: homes.isFamiliar(number),
    home: homes.kindOf(number),
  };
}

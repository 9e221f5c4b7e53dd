// The merged index of all lists. It is built in turns, never changes afterwards, and is replaced as a whole when a list changes.
import type { Token } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { networkKindOf } from "../../chains/chains.ts";
import { tokenKey } from "../address.ts";
import type { Yielder } from "../cooperative-yield.ts";
import { createTokenMessages, type MakeToken, type Testimonies } from "../handlers/token-messages.ts";
import { allEntries, type CheckedList } from "../lists/checked-list.ts";
import { NETWORK_ORDER, type SearchedToken } from "../search/search-columns.ts";
import { buildSearchIndex, type SearchIndex } from "../search/search-index.ts";
import { type BridgeLinks, gatherBridgeLinks, type Place } from "./bridge-links.ts";
import { canonicalFields, type Testimony } from "./canonical.ts";
import { findHomeTokens, isOwnToken } from "./home-tokens.ts";

/** A list by the name that it has here; `checked` is undefined until it has been read. */
export interface NamedList {
  readonly name: string;
  readonly checked: CheckedList | undefined;
}

/** One list of the index. */
export interface IndexedList extends NamedList {
  /** Its tokens, in its own order and with its own values. */
  readonly tokens: readonly Token[];
  /** The same by chain id. */
  readonly tokensByChain: ReadonlyMap<number, readonly Token[]>;
}

/** The index. All answers share its messages, which must not be changed. */
export interface TokenIndex {
  /** In the order that decides where they disagree. */
  readonly lists: readonly IndexedList[];
  /** The ids of all chains that any list has a token on. */
  readonly chainIds: ReadonlySet<number>;
  /**
   * All tokens with their canonical values: those of main networks first and those of test networks last; in each part those that
   * more lists carry first, then in the order of the lists.
   */
  readonly tokens: readonly Token[];
  /** Answers numbers that are places in `tokens`. */
  readonly search: SearchIndex;
  readonly bridgeLinks: BridgeLinks;
  /** The token at a place, with its canonical values. */
  find(place: Place): Token | undefined;
  /** The tokens with a plain address, on whatever chain, as places in `tokens`. */
  at(address: string): readonly number[];
}

/** Builds the index, in turns. */
export async function buildTokenIndex(lists: readonly NamedList[], turns: Yielder): Promise<TokenIndex> {
  const testimonies = await gatherTestimonies(lists, turns);
  const makeToken = createTokenMessages(lists.map(({ name }) => name));
  const ordered = [...testimonies.values()].sort(
    (left, right) => networkOrder(left) - networkOrder(right) || listCount(right) - listCount(left),
  );
  const tokens: Token[] = [];
  const byKey = new Map<string, Token>();
  const byAddress = new Map<string, number[]>();
  for (const each of ordered) {
    const token = makeToken(each, canonicalFields(each));
    const { chainId, address } = each[0].entry;
    const sameAddress = byAddress.get(address);
    if (sameAddress === undefined) {
      byAddress.set(address, [tokens.length]);
    } else {
      sameAddress.push(tokens.length);
    }
    tokens.push(token);
    byKey.set(tokenKey(chainId, address), token);
    if (turns.due()) {
      await turns.next();
    }
  }
  const indexedLists: IndexedList[] = [];
  for (const list of lists) {
    indexedLists.push(await indexList(list, byKey, testimonies, makeToken, turns));
  }
  const bridgeLinks = await gatherBridgeLinks(
    lists.map(({ checked }) => checked),
    turns,
  );
  const homes = await findHomeTokens(tokens, bridgeLinks, turns);
  const searched = tokens.map((token, number) => searchedToken(token, ordered[number] as Testimonies, homes.get(number)));
  return {
    lists: indexedLists,
    chainIds: new Set(tokens.map(({ chainId }) => chainId)),
    tokens,
    search: await buildSearchIndex(searched, turns),
    bridgeLinks,
    find: ({ chainId, address }) => byKey.get(tokenKey(chainId, address)),
    at: (address) => byAddress.get(address) ?? [],
  };
}

const networkOrder = ([{ entry }]: Testimonies): number => NETWORK_ORDER[networkKindOf(entry.chainId)];

// Testimonies of one list stand together.
const listCount = (testimonies: Testimonies): number =>
  testimonies.filter(({ listIndex }, at) => listIndex !== testimonies[at - 1]?.listIndex).length;

async function gatherTestimonies(lists: readonly NamedList[], turns: Yielder): Promise<Map<string, Testimonies>> {
  const gathered = new Map<string, [Testimony, ...Testimony[]]>();
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
  testimonies: ReadonlyMap<string, Testimonies>,
  makeToken: MakeToken,
  turns: Yielder,
): Promise<IndexedList> {
  const tokens: Token[] = [];
  for (const entry of checked?.entries ?? []) {
    const key = tokenKey(entry.chainId, entry.address);
    const canonical = byKey.get(key);
    const said = testimonies.get(key);
    if (canonical !== undefined && said !== undefined) {
      const agrees =
        entry.name === canonical.name &&
        entry.symbol === canonical.symbol &&
        entry.decimals === canonical.decimals &&
        entry.logo === canonical.logo;
      tokens.push(agrees ? canonical : makeToken(said, entry));
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  return { name, checked, tokens, tokensByChain: Map.groupBy(tokens, ({ chainId }) => chainId) };
}

// `shorterNames` are undefined where the token is not the first of its symbol.
function searchedToken(token: Token, testimonies: Testimonies, shorterNames: readonly string[] | undefined): SearchedToken {
  const { symbol, name, chainId, chain } = token;
  const home = shorterNames !== undefined;
  // A search for the name of a chain means its coin.
  const names = [name, ...(shorterNames ?? []), ...(home && isOwnToken(token) ? [chain] : [])];
  const otherSymbols = new Set(testimonies.map(({ entry }) => entry.symbol));
  const otherNames = new Set(testimonies.map(({ entry }) => entry.name));
  otherSymbols.delete(symbol);
  otherNames.delete(name);
  return { symbol, otherSymbols: [...otherSymbols], names, otherNames: [...otherNames], network: networkKindOf(chainId), home };
}

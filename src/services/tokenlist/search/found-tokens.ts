// The tokens that a search has found so far, each with the class of its best match: its network, its rank, how many lists have it,
// whether its symbol is plain, and whether it is the home of its symbol. There is one search at a time, and it is never interrupted, so the
// next one reuses the memory.
import type { NetworkKind } from "../../chains/chains.ts";
import { type Matches, pageOf } from "./match-page.ts";
import { RANK_COUNT } from "./search-rank.ts";
import type { SearchedToken } from "./search-texts.ts";

/** Main networks come before all others, and test networks after all others. */
export const NETWORK_ORDER: Readonly<Record<NetworkKind, number>> = { main: 0, unknown: 1, test: 2 };

const NETWORK_COUNT = Object.keys(NETWORK_ORDER).length;
const NO_MATCH = 0xffff;
export class FoundTokens {
  readonly #chainIds: Float64Array;
  // The number of lists, times 8, and a bit each for a plain symbol, a familiar one, and a home: among tokens that match equally well,
  // higher ones come first.
  readonly #standings: Uint8Array;
  #standingMax = 0;
  readonly #networks: Uint8Array;
  readonly #own = new Set<number>();
  readonly #listedChains = new Set<number>();
  readonly #classes: Uint16Array;
  readonly #matched: Uint32Array;
  #filterId: number | undefined;
  #count = 0;

  /** `count`: how many tokens can be found. */
  constructor(count: number) {
    this.#chainIds = new Float64Array(count);
    this.#standings = new Uint8Array(count);
    this.#networks = new Uint8Array(count);
    this.#classes = new Uint16Array(count);
    this.#matched = new Uint32Array(count);
  }

  /** Makes a token known, before the first search. */
  register(token: number, { chainId, listCount, plain, familiar, home, network }: SearchedToken): void {
    this.#chainIds[token] = chainId;
    const standing = listCount * 8 + (plain ? 4 : 0) + (familiar ? 2 : 0) + (home === "no" ? 0 : 1);
    this.#standings[token] = standing;
    this.#standingMax = Math.max(this.#standingMax, standing);
    this.#networks[token] = NETWORK_ORDER[network];
    if (home === "own") {
      this.#own.add(token);
    }
    this.#listedChains.add(chainId);
  }

  /** Whether a list has tokens on the chain. */
  hasChain(chainId: number): boolean {
    return this.#listedChains.has(chainId);
  }

  /** How many lists have the token. */
  listCountOf(token: number): number {
    return (this.#standings[token] as number) >> 3;
  }

  /** Whether it is the coin or token of its chain. */
  isOwn(token: number): boolean {
    return this.#own.has(token);
  }

  /** Forgets the last search. The next one finds only tokens on the chain `chainId`, or on all chains if it is undefined. */
  begin(chainId: number | undefined): void {
    this.#classes.fill(NO_MATCH);
    this.#filterId = chainId;
    this.#count = 0;
  }

  /** How many tokens were found. */
  get count(): number {
    return this.#count;
  }

  /** Whether the token is on the chain `chainId`, if that is given, and on the chain to which the search is limited, if there is one. */
  isOn(token: number, chainId: number | undefined): boolean {
    const own = this.#chainIds[token];
    return (chainId === undefined || own === chainId) && (this.#filterId === undefined || own === this.#filterId);
  }

  /** Adds a match of a token. A test network that the query names (`isNamed`) ranks like any other network. */
  add(token: number, rank: number, isNamed: boolean): void {
    const network = isNamed ? 0 : (this.#networks[token] as number);
    const standing = this.#standingMax - (this.#standings[token] as number);
    const next = (network * RANK_COUNT + rank) * (this.#standingMax + 1) + standing;
    const before = this.#classes[token] as number;
    if (next < before) {
      this.#classes[token] = next;
      if (before === NO_MATCH) {
        this.#matched[this.#count] = token;
        this.#count += 1;
      }
    }
  }

  /** A page of the tokens, best first. */
  page(offset: number, limit: number): Matches {
    const count = NETWORK_COUNT * RANK_COUNT * (this.#standingMax + 1);
    return pageOf(this.#matched.subarray(0, this.#count), { of: this.#classes, count }, offset, limit);
  }
}

// The tokens that a search has found so far, each with the class of its best match: its network, its rank, and whether it is the
// home of its symbol. There is one search at a time, and it is never interrupted, so the next one reuses the memory.
import type { NetworkKind } from "../../chains/chains.ts";
import { type Matches, pageOf } from "./match-page.ts";
import { RANK_COUNT } from "./search-rank.ts";
import type { SearchedToken } from "./search-texts.ts";

/** Main networks come before all others, and test networks after all others. */
export const NETWORK_ORDER: Readonly<Record<NetworkKind, number>> = { main: 0, unknown: 1, test: 2 };

const NETWORK_COUNT = Object.keys(NETWORK_ORDER).length;
const NO_MATCH = 0xffff;
const CLASS_COUNT = NETWORK_COUNT * RANK_COUNT * 2;

export class FoundTokens {
  readonly #chainIds: Float64Array;
  readonly #homes: Uint8Array;
  readonly #networks: Uint8Array;
  readonly #listedChains = new Set<number>();
  readonly #classes: Uint16Array;
  readonly #matched: Uint32Array;
  #filterId: number | undefined;
  #count = 0;

  /** `count`: how many tokens can be found. */
  constructor(count: number) {
    this.#chainIds = new Float64Array(count);
    this.#homes = new Uint8Array(count);
    this.#networks = new Uint8Array(count);
    this.#classes = new Uint16Array(count);
    this.#matched = new Uint32Array(count);
  }

  /** Makes a token known, before the first search. */
  register(token: number, { chainId, home, network }: SearchedToken): void {
    this.#chainIds[token] = chainId;
    this.#homes[token] = home ? 0 : 1;
    this.#networks[token] = NETWORK_ORDER[network];
    this.#listedChains.add(chainId);
  }

  /** Whether a list has tokens on the chain. */
  hasChain(chainId: number): boolean {
    return this.#listedChains.has(chainId);
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
    const next = (network * RANK_COUNT + rank) * 2 + (this.#homes[token] as number);
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
    return pageOf(this.#matched.subarray(0, this.#count), { of: this.#classes, count: CLASS_COUNT }, offset, limit);
  }
}

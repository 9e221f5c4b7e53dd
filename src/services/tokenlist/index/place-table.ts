// Numbers all places that lists name, so that everything else refers to a place by its number.

/** An address on a chain, in the form of `plainAddress`. */
export interface Place {
  readonly chainId: number;
  readonly address: string;
}

/** Places, numbered from 0 in the order in which they were added. */
export class PlaceTable {
  readonly #byChain = new Map<number, Map<string, number>>();
  readonly #chainIds: number[] = [];
  readonly #addresses: string[] = [];

  get size(): number {
    return this.#addresses.length;
  }

  /** The number of a place; undefined if it was never added. */
  numberOf({ chainId, address }: Place): number | undefined {
    return this.#byChain.get(chainId)?.get(address);
  }

  at(number: number): Place {
    return { chainId: this.#chainIds[number] as number, address: this.#addresses[number] as string };
  }

  /** The number of a place, which is added if it is new. */
  add({ chainId, address }: Place): number {
    let onChain = this.#byChain.get(chainId);
    if (onChain === undefined) {
      onChain = new Map();
      this.#byChain.set(chainId, onChain);
    }
    const known = onChain.get(address);
    if (known !== undefined) {
      return known;
    }
    const number = this.#addresses.length;
    onChain.set(address, number);
    this.#chainIds.push(chainId);
    this.#addresses.push(address);
    return number;
  }
}

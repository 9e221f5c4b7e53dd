// How many calls each network may still make, counted by all threads of the process together, in memory of a fixed size. A network is found
// by a hash, so two networks may share a cell, and with it an allowance; the hash has a random seed, so nobody can choose with whom. A cell
// is a token bucket: the time at which it will be full again.

import { aheadAt, type BucketSize, networksOf, REFUSED, takeTokens, untilOneToken } from "@quintet/guard";
import { lowerOf, numberOf, wordOf, wordOfHalves } from "./slots.ts";

/** A network may make `calls` calls in `everyMs`, and as many at once after a pause. */
export interface NetworkLimit {
  readonly calls: number;
  readonly everyMs: number;
}

/** Which of the limits has no call left, and for how long. */
export interface NetworkShortage {
  readonly limit: number;
  readonly waitMs: number;
}

// The rate of each level of networks, as a multiple of the narrowest network's: see NetworkThrottle.
const SHARES = [1, 4, 16];
// With 1,000 networks at the same time, 1.5 % of them share a cell.
const CELLS = 65_536;
const SEED_WORD = 0;
const US_PER_MS = 1000;
const FNV_PRIME = 0x01000193;

/** The memory for this many limits: half a MiB for each level of networks and limit. `seed`: 4 random bytes. */
export function networkAllowanceCells(limits: number, seed: Uint8Array): BigInt64Array {
  const cells = new BigInt64Array(new SharedArrayBuffer(8 * (1 + limits * SHARES.length * CELLS)));
  cells[SEED_WORD] = wordOfHalves(0, Buffer.from(seed).readUInt32LE());
  return cells;
}

interface Bank {
  readonly limit: number;
  readonly firstCell: number;
  readonly size: BucketSize;
}

/** Counts calls in the memory. */
export class NetworkAllowance {
  readonly #cells: BigInt64Array;
  readonly #seed: number;
  /** For each limit, one bank per level of networks. */
  readonly #banks: readonly (readonly Bank[])[];

  constructor(cells: BigInt64Array, limits: readonly NetworkLimit[]) {
    this.#cells = cells;
    this.#seed = lowerOf(cells[SEED_WORD] as bigint);
    this.#banks = SHARES.map((share, level) =>
      limits.map(({ calls, everyMs }, limit) => {
        const interval = Math.ceil((everyMs * US_PER_MS) / (calls * share));
        const firstCell = 1 + (limit * SHARES.length + level) * CELLS;
        return { limit, firstCell, size: { interval, capacity: interval * calls * share } };
      }),
    );
  }

  /**
   * Takes one call from each network that the address is in, under every limit. If one of them has none left, takes nothing and says which.
   */
  take(address: string, nowMs: number): NetworkShortage | undefined {
    const now = Math.round(nowMs * US_PER_MS);
    const taken: [cell: number, size: BucketSize][] = [];
    for (const [level, network] of networksOf(address).entries()) {
      const place = this.#hash(network) % CELLS;
      for (const { limit, firstCell, size } of this.#banks[level] as readonly Bank[]) {
        const cell = firstCell + place;
        const waitUs = this.#takeCell(cell, size, now);
        if (waitUs > 0) {
          for (const [other, { interval }] of taken) {
            Atomics.sub(this.#cells, other, wordOf(interval));
          }
          return { limit, waitMs: waitUs / US_PER_MS };
        }
        taken.push([cell, size]);
      }
    }
    return undefined;
  }

  // Returns 0, or the microseconds until there is a token.
  #takeCell(cell: number, size: BucketSize, now: number): number {
    for (;;) {
      const seen = Atomics.load(this.#cells, cell);
      const ahead = aheadAt(numberOf(seen), now);
      const after = takeTokens(ahead, 1, size);
      if (after === REFUSED) {
        return Math.max(1, untilOneToken(ahead, size));
      }
      if (Atomics.compareExchange(this.#cells, cell, seen, wordOf(now + after)) === seen) {
        return 0;
      }
    }
  }

  // FNV-1a with a seed. https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
  #hash(text: string): number {
    let hash = this.#seed;
    for (let at = 0; at < text.length; at++) {
      hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
    }
    // The lower bits of a product depend on few of the string's bits.
    return (hash ^ (hash >>> 16)) >>> 0;
  }
}

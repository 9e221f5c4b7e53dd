// Header blocks that were seen shortly before. A client that calls the same method again mostly sends the same octets, and while the table
// does not change they mean the same.

const KEPT_MAX = 4;
/** A block of headers that stand in tables has a dozen octets, one with a path and a key spelt out about a hundred. */
const BLOCK_BYTES_MAX = 128;

interface Kept<Block> {
  readonly octets: Uint8Array;
  length: number;
  block: Block;
}

/** The last few blocks of a connection, by their octets. */
export class RepeatedBlocks<Block> {
  // No more slots than there were different blocks, so that an idle connection holds little.
  readonly #kept: Kept<Block>[] = [];
  #next = 0;
  #valid = 0;

  /** What was kept for these octets since the last `clear`. */
  find(octets: Uint8Array, start: number, end: number): Block | undefined {
    const length = end - start;
    for (let i = 0; i < this.#valid; i++) {
      const kept = this.#kept[i] as Kept<Block>;
      if (kept.length === length && isEqual(kept.octets, octets, start, length)) {
        return kept.block;
      }
    }
    return undefined;
  }

  /** Keeps a block in the place of the oldest. One that is long is not kept. */
  keep(octets: Uint8Array, start: number, end: number, block: Block): void {
    const length = end - start;
    if (length > BLOCK_BYTES_MAX) {
      return;
    }
    let kept = this.#kept[this.#next];
    if (kept === undefined) {
      kept = { octets: new Uint8Array(BLOCK_BYTES_MAX), length, block };
      this.#kept.push(kept);
    }
    for (let i = 0; i < length; i++) {
      kept.octets[i] = octets[start + i] as number;
    }
    kept.length = length;
    kept.block = block;
    this.#next = (this.#next + 1) % KEPT_MAX;
    this.#valid = Math.max(this.#valid, this.#next === 0 ? KEPT_MAX : this.#next);
  }

  /** Forgets all of them: the table has changed. */
  clear(): void {
    this.#valid = 0;
    this.#next = 0;
  }
}

function isEqual(kept: Uint8Array, octets: Uint8Array, start: number, length: number): boolean {
  for (let i = 0; i < length; i++) {
    if (kept[i] !== octets[start + i]) {
      return false;
    }
  }
  return true;
}

// A bounded map that forgets what has not been used recently. It keeps two generations: a used entry moves to the younger one, and
// when that is full the older one is dropped. A hit is one lookup, with no list to maintain, which is faster than lru-cache; every
// call looks up its key and its lease.

/** A map of at most `entriesMax` entries (2 or more). The most recently used half of them is always kept. */
export class LruMap<Key, Value> {
  readonly #generationMax: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, Math.floor(entriesMax / 2));
  }

  /** The value; undefined if there is none or it was forgotten. */
  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) {
      return young;
    }
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.set(key, old);
    }
    return old;
  }

  set(key: Key, value: Value): void {
    if (!this.#young.has(key)) {
      this.#old.delete(key);
      if (this.#young.size >= this.#generationMax) {
        this.#old = this.#young;
        this.#young = new Map();
      }
    }
    this.#young.set(key, value);
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}

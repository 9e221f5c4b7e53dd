// Remembers how messages that cannot change are encoded, for as long as the messages themselves are kept, and within a limit. It keeps two
// generations, as runtime/lru-map.ts does.

/** The encodings of messages: at most `bytesMax` bytes in total. At least the most recently used half of them stays. */
export class EncodingCache<Encoding> {
  readonly #generationBytesMax: number;
  #young = new WeakMap<object, Encoding>();
  #old = new WeakMap<object, Encoding>();
  #youngBytes = 0;
  readonly #bytesOf: (encoding: Encoding) => number;

  constructor(bytesMax: number, bytesOf: (encoding: Encoding) => number) {
    this.#generationBytesMax = bytesMax / 2;
    this.#bytesOf = bytesOf;
  }

  /** Undefined if it is not remembered. */
  get(message: object): Encoding | undefined {
    const young = this.#young.get(message);
    if (young !== undefined) {
      return young;
    }
    const old = this.#old.get(message);
    if (old !== undefined) {
      this.#add(message, old);
    }
    return old;
  }

  /** Remembers the encoding if nothing in the message can change. */
  keep(message: object, encoding: Encoding): void {
    if (isDeeplyFrozen(message)) {
      this.#add(message, encoding);
    }
  }

  #add(message: object, encoding: Encoding): void {
    const bytes = this.#bytesOf(encoding);
    if (bytes > this.#generationBytesMax) {
      return;
    }
    this.#youngBytes += bytes;
    if (this.#youngBytes > this.#generationBytesMax) {
      this.#old = this.#young;
      this.#young = new WeakMap();
      this.#youngBytes = bytes;
    }
    this.#young.set(message, encoding);
  }
}

/** Whether nothing in a message can change. Bytes cannot be frozen, so a message with bytes can always change. */
function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return true;
  }
  if (!Object.isFrozen(value)) {
    return false;
  }
  // Faster than Object.values, which allocates an array.
  for (const name in value) {
    if (!isDeeplyFrozen((value as Record<string, unknown>)[name])) {
      return false;
    }
  }
  return true;
}

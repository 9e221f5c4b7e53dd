// The dynamic table of a decoder. https://www.rfc-editor.org/rfc/rfc7541#section-2.3.2
import type { HeaderField } from "./header-field.ts";

/** The initial size of the table: the default of SETTINGS_HEADER_TABLE_SIZE. */
export const TABLE_BYTES_DEFAULT = 4096;

/** As many entries as fit, from the newest to the oldest. */
export class DynamicTable {
  // A ring buffer whose length is a power of two. The newest entry is at `#newest`.
  #ring: (HeaderField | undefined)[] = [undefined, undefined, undefined, undefined];
  #newest = 0;
  #entries = 0;
  #bytes = 0;
  #bytesMax = TABLE_BYTES_DEFAULT;

  get entries(): number {
    return this.#entries;
  }

  /** The size of all entries: the bytes of each, plus 32. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The entry at `index`, where 0 is the newest; undefined if there is none. */
  at(index: number): HeaderField | undefined {
    return index < this.#entries ? this.#ring[(this.#newest - index) & (this.#ring.length - 1)] : undefined;
  }

  /** Adds an entry, and evicts the oldest to make room. An entry larger than the whole table empties it, which is not an error. */
  add(field: HeaderField): void {
    const { bytes } = field;
    this.#makeRoom(bytes);
    if (bytes > this.#bytesMax) {
      return;
    }
    if (this.#entries === this.#ring.length) {
      this.#grow();
    }
    this.#newest = (this.#newest + 1) & (this.#ring.length - 1);
    this.#ring[this.#newest] = field;
    this.#entries++;
    this.#bytes += bytes;
  }

  clear(): void {
    this.#makeRoom(this.#bytesMax);
  }

  /** Sets the maximum size of the table, and evicts what exceeds it. */
  resize(bytesMax: number): void {
    this.#bytesMax = bytesMax;
    this.#makeRoom(0);
  }

  #makeRoom(bytes: number): void {
    while (this.#entries > 0 && this.#bytes + bytes > this.#bytesMax) {
      const oldest = (this.#newest - this.#entries + 1) & (this.#ring.length - 1);
      this.#bytes -= (this.#ring[oldest] as HeaderField).bytes;
      this.#ring[oldest] = undefined;
      this.#entries--;
    }
  }

  #grow(): void {
    const entries = Array.from({ length: this.#entries }, (_, index) => this.at(this.#entries - 1 - index));
    this.#ring = [...entries, ...Array.from(entries, () => undefined)];
    this.#newest = this.#entries - 1;
  }
}

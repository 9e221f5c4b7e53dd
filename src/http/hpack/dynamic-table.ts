// The dynamic table of a decoder. https://www.rfc-editor.org/rfc/rfc7541#section-2.3.2
import type { HeaderField } from "./header-field.ts";

/** The size of the table before anybody has said otherwise: the default of SETTINGS_HEADER_TABLE_SIZE. */
export const TABLE_BYTES_DEFAULT = 4096;

/** Entries from the newest to the oldest, as many as have room. */
export class DynamicTable {
  // A ring whose length is a power of two, the newest entry at `#newest`.
  #ring: (HeaderField | undefined)[] = [undefined, undefined, undefined, undefined];
  #newest = 0;
  #entries = 0;
  #bytes = 0;
  #bytesMax = TABLE_BYTES_DEFAULT;

  /** The number of entries. */
  get entries(): number {
    return this.#entries;
  }

  /** The size of all entries: of each its octets, and 32 more. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The entry at `index`, counted from 0, which is the newest; undefined where there is none. */
  at(index: number): HeaderField | undefined {
    return index < this.#entries ? this.#ring[(this.#newest - index) & (this.#ring.length - 1)] : undefined;
  }

  /** Adds an entry, and drops the oldest to make room. One that is larger than the whole table leaves it empty, which is no fault. */
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

  /** Drops all entries. */
  clear(): void {
    this.#makeRoom(this.#bytesMax);
  }

  /** Sets the size that the table may have, and drops what is over it. */
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

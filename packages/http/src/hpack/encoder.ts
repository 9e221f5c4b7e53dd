// Encodes the header blocks of one connection, with a dynamic table for headers that are sent repeatedly.
import { TABLE_BYTES_DEFAULT } from "./dynamic-table.ts";
import { FIELD_OVERHEAD_BYTES } from "./header-field.ts";
import type { KnownFields } from "./known-fields.ts";
import {
  INDEXED,
  INDEXED_MASK,
  WITHOUT_INDEXING,
  WITHOUT_INDEXING_MASK,
  writeField,
  writeInteger,
  writeLiteral,
  writePlainString,
} from "./literals.ts";
import { STATIC_ENTRIES, STATIC_NAMES } from "./static-table.ts";

// https://www.rfc-editor.org/rfc/rfc7541#section-6.2.1 and -6.3
const WITH_INDEXING = 0x40;
const WITH_INDEXING_MASK = 0x3f;
const TABLE_SIZE = 0x20;
const TABLE_SIZE_MASK = 0x1f;

/** The most bytes that `startBlock` writes. */
export const BLOCK_START_BYTES_MAX = 4;

/**
 * Encodes the header blocks of one connection in the order in which they are sent: `startBlock`, then each header by `writeRepeatedField`,
 * `writeChangingField`, or the functions of literals.ts, which use no state of the connection. Headers are never evicted from the table, so
 * an index cannot go stale, and no caller can push a header out.
 */
export class HpackEncoder {
  readonly #known: KnownFields;
  // Indexed by header id: the number under which it was added to the table, from 1. Indexed by name id: the number of the latest
  // header with that name.
  #numbers: number[] = [];
  #added = 0;
  #bytes = 0;
  #bytesMax = TABLE_BYTES_DEFAULT;
  #isResizeDue = false;

  constructor(known: KnownFields) {
    this.#known = known;
  }

  /** Applies the peer's SETTINGS_HEADER_TABLE_SIZE. If that changes the size, the table is emptied. */
  setTableBytesMax(peerBytesMax: number): void {
    const bytesMax = Math.min(peerBytesMax, TABLE_BYTES_DEFAULT);
    if (bytesMax !== this.#bytesMax) {
      this.#bytesMax = bytesMax;
      this.#numbers = [];
      this.#added = 0;
      this.#bytes = 0;
      this.#isResizeDue = true;
    }
  }

  /** Begins a block. Returns where its first header goes. */
  startBlock(into: Uint8Array, at: number): number {
    if (!this.#isResizeDue) {
      return at;
    }
    this.#isResizeDue = false;
    // Sets the size to zero first, which empties the peer's table like ours, and then to its new value.
    return writeInteger(into, writeInteger(into, at, TABLE_SIZE, TABLE_SIZE_MASK, 0), TABLE_SIZE, TABLE_SIZE_MASK, this.#bytesMax);
  }

  /** Writes a header that is sent often: its index if it is in the table, or adds it while there is room. Otherwise like `writeField`. */
  writeRepeatedField(into: Uint8Array, at: number, name: string, value: string): number {
    const number = this.#numberOf(this.#known.idOfField(name, value));
    if (number > 0) {
      return writeInteger(into, at, INDEXED, INDEXED_MASK, this.#indexOf(number));
    }
    const known = STATIC_NAMES.get(name);
    if (known?.values.has(value) || !this.#hasRoomFor(name, value)) {
      return writeField(into, at, name, value);
    }
    const ids = this.#known.add(name, value);
    if (ids === undefined) {
      return writeField(into, at, name, value);
    }
    this.#add(name, value);
    this.#setNumber(ids.nameId);
    this.#setNumber(ids.fieldId);
    return writeLiteral(into, at, WITH_INDEXING, WITH_INDEXING_MASK, known?.index ?? 0, name, value);
  }

  /**
   * Writes a header that is sent often with changing values: the name from a table, the value without Huffman coding, which is
   * faster. Otherwise like `writeField`.
   */
  writeChangingField(into: Uint8Array, at: number, name: string, value: string): number {
    const number = this.#numberOf(this.#known.idOfName(name));
    const index = number === 0 ? STATIC_NAMES.get(name)?.index : this.#indexOf(number);
    return index === undefined
      ? this.#writeAndIndexName(into, at, name, value)
      : writePlainString(into, writeInteger(into, at, WITHOUT_INDEXING, WITHOUT_INDEXING_MASK, index), value);
  }

  // Adds the header to the table so that later headers can refer to its name. The value gets no id: nearly every response has a different
  // value, and the number of ids is limited.
  #writeAndIndexName(into: Uint8Array, at: number, name: string, value: string): number {
    const nameId = this.#hasRoomFor(name, value) ? this.#known.addName(name) : undefined;
    if (nameId === undefined) {
      return writeField(into, at, name, value);
    }
    this.#add(name, value);
    this.#setNumber(nameId);
    return writeLiteral(into, at, WITH_INDEXING, WITH_INDEXING_MASK, 0, name, value);
  }

  /** The number under which a header or name was added; 0 if it was not. */
  #numberOf(id: number | undefined): number {
    return id === undefined ? 0 : (this.#numbers[id] ?? 0);
  }

  #indexOf(number: number): number {
    return STATIC_ENTRIES + 1 + this.#added - number;
  }

  #hasRoomFor(name: string, value: string): boolean {
    return this.#bytes + name.length + value.length + FIELD_OVERHEAD_BYTES <= this.#bytesMax;
  }

  /** Adds an entry, for which there must be room. */
  #add(name: string, value: string): void {
    this.#bytes += name.length + value.length + FIELD_OVERHEAD_BYTES;
    this.#added += 1;
  }

  /** Makes the latest entry the one found by this id. */
  #setNumber(id: number): void {
    while (this.#numbers.length <= id) {
      this.#numbers.push(0);
    }
    this.#numbers[id] = this.#added;
  }
}

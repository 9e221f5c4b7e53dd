// Encodes the header blocks of one connection, with a dynamic table for what it sends again and again.
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

/** The room that `startBlock` takes at most. */
export const BLOCK_START_BYTES_MAX = 4;

/**
 * Encodes one connection's header blocks in the order in which they are sent: `startBlock`, then each header by `writeRepeatedField`, by
 * `writeChangingField`, or by the functions of literals.ts, which know nothing of the connection.
 *
 * A header that has entered the table stays there as long as the connection lives: nothing is dropped for another, so its index can not go
 * stale, and nobody can push it out.
 */
export class HpackEncoder {
  readonly #known: KnownFields;
  // By the id of a header the number under which it was added to the table, from 1, and by that of a name the number of its last header.
  #numbers: number[] = [];
  #added = 0;
  #bytes = 0;
  #bytesMax = TABLE_BYTES_DEFAULT;
  #isResizeDue = false;

  constructor(known: KnownFields) {
    this.#known = known;
  }

  /** Takes the peer's SETTINGS_HEADER_TABLE_SIZE. What the table held is forgotten where that changes its size. */
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

  /** Begins a block, and gives where its first header goes. */
  startBlock(into: Uint8Array, at: number): number {
    if (!this.#isResizeDue) {
      return at;
    }
    this.#isResizeDue = false;
    // To nothing first, which empties the peer's table as ours is, then to its size.
    return writeInteger(into, writeInteger(into, at, TABLE_SIZE, TABLE_SIZE_MASK, 0), TABLE_SIZE, TABLE_SIZE_MASK, this.#bytesMax);
  }

  /** Writes a header that is sent often, and gives where it ends: from the table, or into it as long as there is room. As `writeField`. */
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
   * Writes a header that is sent often, each time with another value, and gives where it ends: its name from a table, its value as it is,
   * because that takes less time than the Huffman code. As `writeField`.
   */
  writeChangingField(into: Uint8Array, at: number, name: string, value: string): number {
    const number = this.#numberOf(this.#known.idOfName(name));
    const index = number === 0 ? STATIC_NAMES.get(name)?.index : this.#indexOf(number);
    return index === undefined
      ? this.#writeForItsName(into, at, name, value)
      : writePlainString(into, writeInteger(into, at, WITHOUT_INDEXING, WITHOUT_INDEXING_MASK, index), value);
  }

  // It enters the table so that the next one finds its name there. Its value gets no id: there are as many as answers, and ids are few.
  #writeForItsName(into: Uint8Array, at: number, name: string, value: string): number {
    const nameId = this.#hasRoomFor(name, value) ? this.#known.addName(name) : undefined;
    if (nameId === undefined) {
      return writeField(into, at, name, value);
    }
    this.#add(name, value);
    this.#setNumber(nameId);
    return writeLiteral(into, at, WITH_INDEXING, WITH_INDEXING_MASK, 0, name, value);
  }

  /** The number under which something was added; 0 where it was not. */
  #numberOf(id: number | undefined): number {
    return id === undefined ? 0 : (this.#numbers[id] ?? 0);
  }

  #indexOf(number: number): number {
    return STATIC_ENTRIES + 1 + this.#added - number;
  }

  #hasRoomFor(name: string, value: string): boolean {
    return this.#bytes + name.length + value.length + FIELD_OVERHEAD_BYTES <= this.#bytesMax;
  }

  /** Adds an entry, for which there is room. */
  #add(name: string, value: string): void {
    this.#bytes += name.length + value.length + FIELD_OVERHEAD_BYTES;
    this.#added += 1;
  }

  /** The entry that was added last is found by this id. */
  #setNumber(id: number): void {
    while (this.#numbers.length <= id) {
      this.#numbers.push(0);
    }
    this.#numbers[id] = this.#added;
  }
}

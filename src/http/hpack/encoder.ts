// Encodes the header blocks of one connection, with a dynamic table for what it sends again and again.
import { TABLE_BYTES_DEFAULT } from "./dynamic-table.ts";
import { FIELD_OVERHEAD_BYTES } from "./header-field.ts";
import { writeField, writeInteger, writeLiteral } from "./literals.ts";
import { STATIC_ENTRIES, STATIC_NAMES } from "./static-table.ts";

/** The room that `startBlock` takes at most. */
export const BLOCK_START_BYTES_MAX = 4;

/**
 * Encodes one connection's header blocks in the order in which they are sent: `startBlock`, then each header by `writeRepeatedField`, or by
 * the functions of literals.ts for those that change or are secret.
 *
 * A header that has entered the table stays there as long as the connection lives: nothing is dropped for another, so its index can not go
 * stale, and nobody can push it out.
 */
export class HpackEncoder {
  /** By name and value the number under which an entry was added, from 1. */
  readonly #entries = new Map<string, Map<string, number>>();
  #added = 0;
  #bytes = 0;
  #bytesMax = TABLE_BYTES_DEFAULT;
  #isResizeDue = false;

  /** Takes the peer's SETTINGS_HEADER_TABLE_SIZE. What the table held is forgotten where that changes its size. */
  setTableBytesMax(peerBytesMax: number): void {
    const bytesMax = Math.min(peerBytesMax, TABLE_BYTES_DEFAULT);
    if (bytesMax !== this.#bytesMax) {
      this.#bytesMax = bytesMax;
      this.#entries.clear();
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
    return writeInteger(into, writeInteger(into, at, 0x20, 0x1f, 0), 0x20, 0x1f, this.#bytesMax);
  }

  /** Writes one header that is sent often, and gives where it ends: from the table, or into it as long as there is room. As `writeField`. */
  writeRepeatedField(into: Uint8Array, at: number, name: string, value: string): number {
    const known = STATIC_NAMES.get(name);
    if (known?.values.has(value)) {
      return writeField(into, at, name, value);
    }
    let values = this.#entries.get(name);
    const number = values?.get(value);
    if (number !== undefined) {
      return writeInteger(into, at, 0x80, 0x7f, STATIC_ENTRIES + 1 + this.#added - number);
    }
    const bytes = name.length + value.length + FIELD_OVERHEAD_BYTES;
    if (this.#bytes + bytes > this.#bytesMax) {
      return writeField(into, at, name, value);
    }
    this.#bytes += bytes;
    this.#added += 1;
    if (values === undefined) {
      values = new Map();
      this.#entries.set(name, values);
    }
    values.set(value, this.#added);
    return writeLiteral(into, at, 0x40, 0x3f, known?.index ?? 0, name, value);
  }
}

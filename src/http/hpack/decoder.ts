// Decodes the header blocks of one connection. https://www.rfc-editor.org/rfc/rfc7541
import { CompressionError } from "./compression-error.ts";
import { DynamicTable, TABLE_BYTES_DEFAULT } from "./dynamic-table.ts";
import { FIELD_OVERHEAD_BYTES, HeaderField } from "./header-field.ts";
import { decodeHuffman } from "./huffman-decoding.ts";
import { RepeatedBlocks } from "./repeated-blocks.ts";
import { STATIC_ENTRIES, STATIC_TABLE } from "./static-table.ts";

/** How large the headers of one request may be. */
export interface HeaderListLimits {
  /** Of names and values together, and 32 more for each header: SETTINGS_MAX_HEADER_LIST_SIZE. */
  readonly listBytesMax: number;
  readonly fieldsMax: number;
}

/**
 * The headers of one block. A block that says the same as one shortly before it gives the same object, so a caller may keep in `facts` what
 * it worked out of the headers. Nobody may change `fields`.
 */
export interface HeaderBlock<Facts> {
  /** In the order sent. Where `isTooLarge`, those that fit. */
  readonly fields: readonly HeaderField[];
  /** Whether headers were left out because they are over a limit. */
  readonly isTooLarge: boolean;
  /** For the caller; undefined at first. */
  facts: Facts | undefined;
}

/** Four octets more at most: integers are lengths, indexes and table sizes, and none that is right comes near 2^28. */
const INTEGER_SHIFT_MAX = 21;

const NO_BLOCK = Buffer.alloc(0);

/** Where Huffman-coded strings are decoded into: the longest that any decoder of this thread wants. */
let scratch = Buffer.allocUnsafeSlow(TABLE_BYTES_DEFAULT);

/**
 * Decodes one connection's header blocks in the order of their arrival: each of them, those too that nobody wants any more, or the tables of
 * the two ends fall apart. The table has the default size of 4096 bytes at most, which is what SETTINGS_HEADER_TABLE_SIZE has to say.
 */
export class HpackDecoder<Facts = undefined> {
  readonly #listBytesMax: number;
  readonly #fieldsMax: number;
  readonly #table = new DynamicTable();
  readonly #repeated = new RepeatedBlocks<HeaderBlock<Facts>>();
  #isTableChanged = false;
  #block: Buffer = NO_BLOCK;
  #at = 0;
  #end = 0;

  constructor({ listBytesMax, fieldsMax }: HeaderListLimits) {
    this.#listBytesMax = listBytesMax;
    this.#fieldsMax = fieldsMax;
    if (scratch.length < listBytesMax) {
      scratch = Buffer.allocUnsafeSlow(listBytesMax);
    }
  }

  /**
   * Decodes one whole header block: that of HEADERS and all its CONTINUATIONs, whose size the caller has bounded. Throws a
   * CompressionError where it breaks the rules; nothing may be decoded after that.
   */
  decode(block: Buffer, start: number, end: number): HeaderBlock<Facts> {
    const repeated = this.#repeated.find(block, start, end);
    if (repeated !== undefined) {
      return repeated;
    }
    this.#block = block;
    this.#at = start;
    this.#end = end;
    this.#isTableChanged = false;
    const decoded = this.#decodeBlock();
    this.#block = NO_BLOCK;
    if (this.#isTableChanged) {
      // The table has changed: the blocks that were kept may mean something else now, and this one would change the table again.
      this.#repeated.clear();
    } else if (!decoded.isTooLarge) {
      this.#repeated.keep(block, start, end, decoded);
    }
    return decoded;
  }

  #decodeBlock(): HeaderBlock<Facts> {
    const fields: HeaderField[] = [];
    let isTooLarge = false;
    let bytesLeft = this.#listBytesMax;
    let isFirst = true;
    while (this.#at < this.#end) {
      const octet = this.#block[this.#at] as number;
      if ((octet & 0xe0) === 0x20) {
        this.#resizeTable(isFirst);
        continue;
      }
      isFirst = false;
      const room = fields.length < this.#fieldsMax ? bytesLeft - FIELD_OVERHEAD_BYTES : -1;
      const field = (octet & 0x80) !== 0 ? this.#fieldAt(this.#readInteger(0x7f)) : this.#readLiteral(octet, room);
      if (field === undefined || field.bytes > bytesLeft || room < 0) {
        isTooLarge = true;
      } else {
        bytesLeft -= field.bytes;
        fields.push(field);
      }
    }
    return { fields, isTooLarge, facts: undefined };
  }

  // Only before the first header: https://www.rfc-editor.org/rfc/rfc7541#section-4.2
  #resizeTable(isFirst: boolean): void {
    const bytesMax = this.#readInteger(0x1f);
    if (!isFirst || bytesMax > TABLE_BYTES_DEFAULT) {
      throw new CompressionError(isFirst ? "a table size over the limit" : "a table size update behind a header");
    }
    this.#isTableChanged = true;
    this.#table.resize(bytesMax);
  }

  #fieldAt(index: number): HeaderField {
    const field = index <= STATIC_ENTRIES ? STATIC_TABLE[index] : this.#table.at(index - STATIC_ENTRIES - 1);
    if (field === undefined) {
      throw new CompressionError("an index without an entry");
    }
    return field;
  }

  /** A header spelt out; undefined where it has more octets than `room`. With indexing it is added to the table in any case. */
  #readLiteral(octet: number, room: number): HeaderField | undefined {
    const isIndexed = (octet & 0x40) !== 0;
    // A field that goes into the table is decoded even where it is over a limit of ours: later blocks refer to it.
    const bytesMax = isIndexed ? Math.max(room, TABLE_BYTES_DEFAULT) : room;
    const nameIndex = this.#readInteger(isIndexed ? 0x3f : 0x0f);
    const named = nameIndex === 0 ? undefined : this.#fieldAt(nameIndex);
    const name = named === undefined ? this.#readString(bytesMax) : named.name;
    const value = this.#readString(bytesMax);
    if (isIndexed) {
      this.#isTableChanged = true;
    }
    if (name === undefined || value === undefined) {
      if (isIndexed) {
        // It is larger than the table, which empties it: https://www.rfc-editor.org/rfc/rfc7541#section-4.4
        this.#table.clear();
      }
      return undefined;
    }
    const field = new HeaderField(name, value, named);
    if (isIndexed) {
      this.#table.add(field);
    }
    return field;
  }

  /** A string; undefined, and none is made, where it has more than `bytesMax` octets. */
  #readString(bytesMax: number): string | undefined {
    const isHuffman = this.#at < this.#end && ((this.#block[this.#at] as number) & 0x80) !== 0;
    const length = this.#readInteger(0x7f);
    const start = this.#at;
    if (length > this.#end - start) {
      throw new CompressionError("a string that is cut short");
    }
    this.#at = start + length;
    if (!isHuffman) {
      return length <= bytesMax ? this.#block.toString("latin1", start, this.#at) : undefined;
    }
    const decodedLength = decodeHuffman(this.#block, start, this.#at, scratch);
    if (decodedLength < 0) {
      throw new CompressionError("a string whose Huffman coding is wrong");
    }
    return decodedLength <= bytesMax ? scratch.toString("latin1", 0, decodedLength) : undefined;
  }

  /** An integer whose first bits are those of the next octet under `mask`. https://www.rfc-editor.org/rfc/rfc7541#section-5.1 */
  #readInteger(mask: number): number {
    if (this.#at >= this.#end) {
      throw new CompressionError("a header that is cut short");
    }
    let integer = (this.#block[this.#at++] as number) & mask;
    if (integer < mask) {
      return integer;
    }
    for (let shift = 0; shift <= INTEGER_SHIFT_MAX; shift += 7) {
      if (this.#at >= this.#end) {
        throw new CompressionError("an integer that is cut short");
      }
      const octet = this.#block[this.#at++] as number;
      integer += (octet & 0x7f) << shift;
      if ((octet & 0x80) === 0) {
        return integer;
      }
    }
    throw new CompressionError("an integer that is too long");
  }
}

// Decodes the header blocks of one connection. https://www.rfc-editor.org/rfc/rfc7541
import { CompressionError } from "./compression-error.ts";
import { DynamicTable, TABLE_BYTES_DEFAULT } from "./dynamic-table.ts";
import { FIELD_OVERHEAD_BYTES, HeaderField } from "./header-field.ts";
import { CODE_BITS, CODES, END_OF_STRING } from "./huffman-code.ts";
import { STATIC_ENTRIES, STATIC_TABLE } from "./static-table.ts";

/** An entry contains the next state, the symbol in the byte above it, and these flags. */
const HAS_SYMBOL = 1 << 16;
const IS_INVALID = 1 << 17;

const STATES = 256;
/** The entry for a state and four bits is at `state * 16 + bits`. */
const TRANSITIONS = new Uint32Array(STATES * 16);
/** 1 where a string may end: after a whole symbol, or within the first seven bits of the end-of-string code. */
const MAY_END = new Uint8Array(STATES);

/**
 * Decodes `source` from `start` to `end` into `target`. Returns the length of the string in bytes; if that exceeds
 * `target.length`, only the beginning was written. Returns -1 if the coding is invalid: a whole end-of-string code, or padding
 * that is not its beginning or has eight bits or more.
 */
function decodeHuffman(source: Uint8Array, start: number, end: number, target: Uint8Array): number {
  const room = target.length;
  let state = 0;
  let length = 0;
  // Bytes that are not a symbol are written too, and then overwritten. A branch for each four bits would be slower, because
  // processors cannot predict it.
  for (let i = start; i < end; i++) {
    const byte = source[i] as number;
    const high = TRANSITIONS[(state << 4) | (byte >> 4)] as number;
    if (length < room) {
      target[length] = high >> 8;
    }
    length += (high & HAS_SYMBOL) >> 16;
    const low = TRANSITIONS[((high & 0xff) << 4) | (byte & 0xf)] as number;
    if (length < room) {
      target[length] = low >> 8;
    }
    length += (low & HAS_SYMBOL) >> 16;
    if (((high | low) & IS_INVALID) !== 0) {
      return -1;
    }
    state = low & 0xff;
  }
  return MAY_END[state] === 1 ? length : -1;
}

/** An inner node of the code tree, with the branches for 0 and 1. A leaf is represented by its symbol. */
interface Node {
  readonly state: number;
  readonly branches: [Branch, Branch];
}
type Branch = Node | number | undefined;

fillTables();

function fillTables(): void {
  const nodes = readTree();
  const [root] = nodes as [Node];
  for (const node of nodes) {
    for (let bits = 0; bits < 16; bits++) {
      TRANSITIONS[node.state * 16 + bits] = transition(root, node, bits);
    }
  }
  let branch: Branch = root;
  for (let padding = 0; padding < 8 && typeof branch === "object"; padding++) {
    MAY_END[branch.state] = 1;
    branch = branch.branches[1];
  }
}

/** The inner nodes of the tree, each at the index of its state; the root is first. */
function readTree(): readonly Node[] {
  const nodes: Node[] = [{ state: 0, branches: [undefined, undefined] }];
  for (const [symbol, code] of CODES.entries()) {
    let node = nodes[0] as Node;
    for (let bit = (CODE_BITS[symbol] as number) - 1; bit > 0; bit--) {
      const side = (code >>> bit) & 1;
      let next = node.branches[side];
      if (typeof next !== "object") {
        next = { state: nodes.length, branches: [undefined, undefined] };
        nodes.push(next);
        node.branches[side] = next;
      }
      node = next;
    }
    node.branches[code & 1] = symbol;
  }
  return nodes;
}

function transition(root: Node, from: Node, bits: number): number {
  let node = from;
  let symbols = 0;
  for (let bit = 3; bit >= 0; bit--) {
    const branch = node.branches[(bits >> bit) & 1] as Node | number;
    if (branch === END_OF_STRING) {
      return IS_INVALID;
    }
    if (typeof branch === "number") {
      symbols = HAS_SYMBOL | (branch << 8);
      node = root;
    } else {
      node = branch;
    }
  }
  return symbols | node.state;
}

export interface HeaderListLimits {
  /** The most bytes of all names and values, plus 32 for each header: SETTINGS_MAX_HEADER_LIST_SIZE. */
  readonly listBytesMax: number;
  readonly fieldsMax: number;
}

export interface HeaderBlock {
  /** In the order sent. If `isTooLarge`, only those that fit. */
  readonly fields: readonly HeaderField[];
  /** Whether headers were left out because they exceed a limit. */
  readonly isTooLarge: boolean;
}

/** Up to four more bytes: integers are lengths, indexes and table sizes, and no valid one comes near 2^28. */
const INTEGER_SHIFT_MAX = 21;

const NO_BLOCK = Buffer.alloc(0);

/** The buffer for decoding Huffman-coded strings, shared by all decoders of this thread. */
let scratch = Buffer.allocUnsafeSlow(TABLE_BYTES_DEFAULT);

/**
 * Decodes the header blocks of one connection in order of arrival. Every block must be decoded, even if unwanted, or the tables of
 * the two ends get out of step. The table has at most the default size of 4096 bytes, which SETTINGS_HEADER_TABLE_SIZE must
 * announce.
 */
export class HpackDecoder {
  readonly #listBytesMax: number;
  readonly #fieldsMax: number;
  readonly #table = new DynamicTable();
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
   * Decodes one whole header block: HEADERS and its CONTINUATIONs, whose size the caller has limited. Throws a CompressionError if
   * it breaks the rules; nothing may be decoded after that.
   */
  decode(block: Buffer, start: number, end: number): HeaderBlock {
    this.#block = block;
    this.#at = start;
    this.#end = end;
    const decoded = this.#decodeBlock();
    this.#block = NO_BLOCK;
    return decoded;
  }

  #decodeBlock(): HeaderBlock {
    const fields: HeaderField[] = [];
    let isTooLarge = false;
    let bytesLeft = this.#listBytesMax;
    let isFirst = true;
    while (this.#at < this.#end) {
      const byte = this.#block[this.#at] as number;
      if ((byte & 0xe0) === 0x20) {
        this.#resizeTable(isFirst);
        continue;
      }
      isFirst = false;
      const room = fields.length < this.#fieldsMax ? bytesLeft - FIELD_OVERHEAD_BYTES : -1;
      const field = (byte & 0x80) !== 0 ? this.#fieldAt(this.#readInteger(0x7f)) : this.#readLiteral(byte, room);
      if (field === undefined || field.bytes > bytesLeft || room < 0) {
        isTooLarge = true;
      } else {
        bytesLeft -= field.bytes;
        fields.push(field);
      }
    }
    return { fields, isTooLarge };
  }

  // A size update is allowed only before the first header: https://www.rfc-editor.org/rfc/rfc7541#section-4.2
  #resizeTable(isFirst: boolean): void {
    const bytesMax = this.#readInteger(0x1f);
    if (!isFirst || bytesMax > TABLE_BYTES_DEFAULT) {
      throw new CompressionError(isFirst ? "a table size exceeds the limit" : "a table size update after a header");
    }
    this.#table.resize(bytesMax);
  }

  #fieldAt(index: number): HeaderField {
    const field = index <= STATIC_ENTRIES ? STATIC_TABLE[index] : this.#table.at(index - STATIC_ENTRIES - 1);
    if (field === undefined) {
      throw new CompressionError("an index has no entry");
    }
    return field;
  }

  /** A literal header; undefined if it has more bytes than `room`. With indexing it is added to the table in any case. */
  #readLiteral(byte: number, room: number): HeaderField | undefined {
    const isIndexed = (byte & 0x40) !== 0;
    // A field for the table is decoded even if it exceeds our limit, because later blocks refer to it.
    const bytesMax = isIndexed ? Math.max(room, TABLE_BYTES_DEFAULT) : room;
    const nameIndex = this.#readInteger(isIndexed ? 0x3f : 0x0f);
    const named = nameIndex === 0 ? undefined : this.#fieldAt(nameIndex);
    const name = named === undefined ? this.#readString(bytesMax) : named.name;
    const value = this.#readString(bytesMax);
    if (name === undefined || value === undefined) {
      if (isIndexed) {
        // A field that is larger than the table empties it: https://www.rfc-editor.org/rfc/rfc7541#section-4.4
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

  /** A string. If it has more than `bytesMax` bytes, returns undefined without decoding it. */
  #readString(bytesMax: number): string | undefined {
    const isHuffman = this.#at < this.#end && ((this.#block[this.#at] as number) & 0x80) !== 0;
    const length = this.#readInteger(0x7f);
    const start = this.#at;
    if (length > this.#end - start) {
      throw new CompressionError("a string is cut short");
    }
    this.#at = start + length;
    if (!isHuffman) {
      return length <= bytesMax ? this.#block.toString("latin1", start, this.#at) : undefined;
    }
    const decodedLength = decodeHuffman(this.#block, start, this.#at, scratch);
    if (decodedLength < 0) {
      throw new CompressionError("a string has invalid Huffman coding");
    }
    return decodedLength <= bytesMax ? scratch.toString("latin1", 0, decodedLength) : undefined;
  }

  /** An integer that begins in the bits of the next byte under `mask`. https://www.rfc-editor.org/rfc/rfc7541#section-5.1 */
  #readInteger(mask: number): number {
    if (this.#at >= this.#end) {
      throw new CompressionError("a header is cut short");
    }
    let integer = (this.#block[this.#at++] as number) & mask;
    if (integer < mask) {
      return integer;
    }
    for (let shift = 0; shift <= INTEGER_SHIFT_MAX; shift += 7) {
      if (this.#at >= this.#end) {
        throw new CompressionError("an integer is cut short");
      }
      const byte = this.#block[this.#at++] as number;
      integer += (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) {
        return integer;
      }
    }
    throw new CompressionError("an integer is too long");
  }
}

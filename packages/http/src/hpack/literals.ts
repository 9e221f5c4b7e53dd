// Writes headers without the dynamic table: by their index in the static table, or as literals. The bytes mean the same on any
// connection, so a sender may cache the bytes of a header that it sends again.
import { huffmanBytes, writeHuffman } from "./huffman-encoding.ts";
import { STATIC_NAMES } from "./static-table.ts";

// The first bits of each representation, and the remaining bits for an integer. https://www.rfc-editor.org/rfc/rfc7541#section-6
export const INDEXED = 0x80;
export const INDEXED_MASK = 0x7f;
export const WITHOUT_INDEXING = 0x00;
export const WITHOUT_INDEXING_MASK = 0x0f;
const NEVER_INDEXED = 0x10;
const HUFFMAN = 0x80;
const STRING_MASK = 0x7f;

/** The most bytes that one header takes in any representation: its own bytes, plus two lengths and an index of up to five bytes each. */
export function fieldBytesMax(name: string, value: string): number {
  return name.length + value.length + 15;
}

/**
 * Writes one header. Returns where it ends. There must be room for `fieldBytesMax` bytes. The name is in lower case; the
 * characters of both are bytes. The caller must refuse what may not be in a header.
 */
export function writeField(into: Uint8Array, at: number, name: string, value: string): number {
  const known = STATIC_NAMES.get(name);
  const index = known?.values.get(value);
  return index === undefined
    ? writeLiteral(into, at, WITHOUT_INDEXING, WITHOUT_INDEXING_MASK, known?.index ?? 0, name, value)
    : writeInteger(into, at, INDEXED, INDEXED_MASK, index);
}

/** Writes a header that no hop may put into a table, because it is a secret such as a cookie. Otherwise like `writeField`. */
export function writeSecretField(into: Uint8Array, at: number, name: string, value: string): number {
  return writeLiteral(into, at, NEVER_INDEXED, WITHOUT_INDEXING_MASK, STATIC_NAMES.get(name)?.index ?? 0, name, value);
}

/**
 * Writes a literal header, with the name at `nameIndex` of the tables unless that is 0. `first` and `mask` give the
 * representation.
 */
export function writeLiteral(
  into: Uint8Array,
  at: number,
  first: number,
  mask: number,
  nameIndex: number,
  name: string,
  value: string,
): number {
  const nameAt = writeInteger(into, at, first, mask, nameIndex);
  return writeString(into, nameIndex === 0 ? writeString(into, nameAt, name) : nameAt, value);
}

/** Writes an integer into the bits under `mask` and the bytes that follow. https://www.rfc-editor.org/rfc/rfc7541#section-5.1 */
export function writeInteger(into: Uint8Array, at: number, first: number, mask: number, integer: number): number {
  if (integer < mask) {
    into[at] = first | integer;
    return at + 1;
  }
  into[at] = first | mask;
  let end = at + 1;
  let rest = integer - mask;
  while (rest >= 0x80) {
    into[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  into[end++] = rest;
  return end;
}

/** Writes a string in the Huffman code if that is shorter. */
function writeString(into: Uint8Array, at: number, text: string): number {
  const huffman = huffmanBytes(text);
  return huffman < text.length
    ? writeHuffman(into, writeInteger(into, at, HUFFMAN, STRING_MASK, huffman), text)
    : writePlainString(into, at, text);
}

/** Writes a string without Huffman coding, which is faster. */
export function writePlainString(into: Uint8Array, at: number, text: string): number {
  const start = writeInteger(into, at, 0, STRING_MASK, text.length);
  for (let i = 0; i < text.length; i++) {
    into[start + i] = text.charCodeAt(i);
  }
  return start + text.length;
}

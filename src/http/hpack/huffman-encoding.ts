// Writes strings in the Huffman code. https://www.rfc-editor.org/rfc/rfc7541#section-5.2
import { CODE_BITS, CODES } from "./huffman-code.ts";

/** How many octets a string of octets takes in the Huffman code. */
export function huffmanBytes(text: string): number {
  let bits = 0;
  for (let i = 0; i < text.length; i++) {
    bits += CODE_BITS[text.charCodeAt(i)] as number;
  }
  return (bits + 7) >> 3;
}

/** Writes a string of octets in the Huffman code, and gives where it ends. */
export function writeHuffman(into: Uint8Array, at: number, text: string): number {
  let end = at;
  // What is not yet written, `pending` bits of it: fewer than eight between two symbols.
  let bits = 0;
  let pending = 0;
  for (let i = 0; i < text.length; i++) {
    const symbol = text.charCodeAt(i);
    const code = CODES[symbol] as number;
    let length = CODE_BITS[symbol] as number;
    if (length > 24) {
      // The longest code and what is pending do not fit into 32 bits.
      length -= 16;
      bits = (bits << length) | (code >>> 16);
      pending += length;
      while (pending >= 8) {
        pending -= 8;
        into[end++] = bits >>> pending;
      }
      bits = (bits << 16) | (code & 0xffff);
      pending += 16;
    } else {
      bits = (bits << length) | code;
      pending += length;
    }
    while (pending >= 8) {
      pending -= 8;
      into[end++] = bits >>> pending;
    }
  }
  if (pending > 0) {
    // The rest of the last octet is the beginning of the end of string's code, which is all ones.
    into[end++] = (bits << (8 - pending)) | (0xff >> pending);
  }
  return end;
}

// Writes Huffman-coded strings. https://www.rfc-editor.org/rfc/rfc7541#section-5.2
import { CODE_BITS, CODES } from "./huffman-code.ts";

/** The length of a string in the Huffman code, in bytes. Its characters are bytes. */
export function huffmanBytes(text: string): number {
  let bits = 0;
  for (let i = 0; i < text.length; i++) {
    bits += CODE_BITS[text.charCodeAt(i)] as number;
  }
  return (bits + 7) >> 3;
}

/** Writes a string in the Huffman code. Returns where it ends. Its characters are bytes. */
export function writeHuffman(into: Uint8Array, at: number, text: string): number {
  let end = at;
  // What is not written yet: `pending` bits, fewer than eight between symbols.
  let bits = 0;
  let pending = 0;
  for (let i = 0; i < text.length; i++) {
    const symbol = text.charCodeAt(i);
    const code = CODES[symbol] as number;
    let length = CODE_BITS[symbol] as number;
    if (length > 24) {
      // The longest code and the pending bits do not fit into 32 bits together.
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
    // The last byte is padded with the beginning of the end-of-string code, which is all ones.
    into[end++] = (bits << (8 - pending)) | (0xff >> pending);
  }
  return end;
}

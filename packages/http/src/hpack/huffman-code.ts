// The Huffman code. It is canonical: codes of the same length are consecutive in the order of their bytes, and longer codes follow
// shorter ones, so the lengths define it. https://www.rfc-editor.org/rfc/rfc7541#appendix-B

/** The symbol for the end of a string. The start of its code pads the last byte; the whole code is never sent. */
export const END_OF_STRING = 256;

/** The length of each byte's code in bits; index 256 is the end of a string. */
export const CODE_BITS = Uint8Array.of(
  ...[
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  ],
  ...[6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10],
  ...[13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  ...[15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  ...[
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  ],
  ...[
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  ],
  ...[
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  ],
  ...[
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  ],
  30,
);

/** The code of each byte, in the low bits; index 256 is the end of a string. */
export const CODES = canonicalCodes(CODE_BITS);

function canonicalCodes(lengths: Uint8Array): Uint32Array {
  const codes = new Uint32Array(lengths.length);
  const order = [...lengths.keys()].sort((left, right) => (lengths[left] ?? 0) - (lengths[right] ?? 0) || left - right);
  let next = 0;
  let bits = 0;
  for (const symbol of order) {
    next <<= (lengths[symbol] ?? 0) - bits;
    bits = lengths[symbol] ?? 0;
    codes[symbol] = next;
    next += 1;
  }
  return codes;
}

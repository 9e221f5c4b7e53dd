// Blocks that violate RFC 7541. Each ends the connection, so the error names the violated rule.
import { expect, test } from "vitest";
import { CompressionError } from "../../src/hpack/compression-error.ts";
import { HpackDecoder } from "../../src/hpack/decoder.ts";
import { decodeHex, LIMITS } from "./blocks.ts";

test.each([
  { fault: "index 0", block: "80", message: "an index has no entry" },
  { fault: "an index beyond the tables", block: "be", message: "an index has no entry" },
  { fault: "an index far beyond the tables", block: "ff80808001", message: "an index has no entry" },
  { fault: "a name's index beyond the tables", block: "7e0161", message: "an index has no entry" },
  { fault: "an index that is cut short", block: "ff", message: "an integer is cut short" },
  { fault: "an index that is cut short after its second byte", block: "ff80", message: "an integer is cut short" },
  { fault: "an integer of six bytes", block: "ff8080808000", message: "an integer is too long" },
  {
    fault: "an integer padded with endless zeros",
    block: `ff${"80".repeat(100)}`,
    message: "an integer is too long",
  },
  { fault: "a length beyond the block", block: "0002610161", message: "a string is cut short" },
  { fault: "a length of 2^28 bytes", block: "007fffffff7f61", message: "a string is cut short" },
  { fault: "a literal without a name", block: "00", message: "a header is cut short" },
  { fault: "a literal without a value", block: "04", message: "a header is cut short" },
  { fault: "a new name without a value", block: "000161", message: "a header is cut short" },
  { fault: "padding of eight ones", block: "0481ff", message: "a string has invalid Huffman coding" },
  { fault: "padding of eight ones after a symbol", block: "04821fff", message: "a string has invalid Huffman coding" },
  { fault: "padding of zeros", block: "048118", message: "a string has invalid Huffman coding" },
  {
    fault: "padding that is not a prefix of the end of string",
    block: "04811e",
    message: "a string has invalid Huffman coding",
  },
  { fault: "the end of string", block: "0484fffffffc", message: "a string has invalid Huffman coding" },
  { fault: "the end of string within a string", block: "04851ffffffff3", message: "a string has invalid Huffman coding" },
  { fault: "a symbol that is cut short", block: "0482fffe", message: "a string has invalid Huffman coding" },
  { fault: "a table size exceeds the limit", block: "3fe21f", message: "a table size exceeds the limit" },
  { fault: "a table size after a header", block: "8220", message: "a table size update after a header" },
])("refuses $fault", ({ block, message }) => {
  expect(() => decodeHex(new HpackDecoder(LIMITS), block)).toThrow(new CompressionError(message));
});

test("refuses the index of an evicted entry", () => {
  const decoder = new HpackDecoder(LIMITS);
  decodeHex(decoder, "4001610162");
  decodeHex(decoder, "20");
  expect(() => decodeHex(decoder, "be")).toThrow(new CompressionError("an index has no entry"));
});

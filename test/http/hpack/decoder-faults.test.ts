// Blocks that break RFC 7541. Each ends the connection, so the error says which rule.
import { expect, test } from "vitest";
import { CompressionError } from "../../../src/http/hpack/compression-error.ts";
import { HpackDecoder } from "../../../src/http/hpack/decoder.ts";
import { decodeHex, LIMITS } from "./blocks.ts";

test.each([
  { fault: "index 0", block: "80", message: "an index without an entry" },
  { fault: "an index behind the tables", block: "be", message: "an index without an entry" },
  { fault: "an index far behind the tables", block: "ff80808001", message: "an index without an entry" },
  { fault: "a name's index behind the tables", block: "7e0161", message: "an index without an entry" },
  { fault: "an index that is cut short", block: "ff", message: "an integer that is cut short" },
  { fault: "an index that is cut short after its second octet", block: "ff80", message: "an integer that is cut short" },
  { fault: "an integer of six octets", block: "ff8080808000", message: "an integer that is too long" },
  {
    fault: "an integer that pads itself with zeros for ever",
    block: `ff${"80".repeat(100)}`,
    message: "an integer that is too long",
  },
  { fault: "a length over the block", block: "0002610161", message: "a string that is cut short" },
  { fault: "a length of 2^28 octets", block: "007fffffff7f61", message: "a string that is cut short" },
  { fault: "a literal without a name", block: "00", message: "a header that is cut short" },
  { fault: "a literal without a value", block: "04", message: "a header that is cut short" },
  { fault: "a new name without a value", block: "000161", message: "a header that is cut short" },
  { fault: "padding of eight ones", block: "0481ff", message: "a string whose Huffman coding is wrong" },
  { fault: "padding of eight ones behind a symbol", block: "04821fff", message: "a string whose Huffman coding is wrong" },
  { fault: "padding of zeros", block: "048118", message: "a string whose Huffman coding is wrong" },
  {
    fault: "padding that is no beginning of the end of string",
    block: "04811e",
    message: "a string whose Huffman coding is wrong",
  },
  { fault: "the end of string", block: "0484fffffffc", message: "a string whose Huffman coding is wrong" },
  { fault: "the end of string in the midst", block: "04851ffffffff3", message: "a string whose Huffman coding is wrong" },
  { fault: "a symbol that is cut short", block: "0482fffe", message: "a string whose Huffman coding is wrong" },
  { fault: "a table size over the limit", block: "3fe21f", message: "a table size over the limit" },
  { fault: "a table size behind a header", block: "8220", message: "a table size update behind a header" },
])("refuses $fault", ({ block, message }) => {
  expect(() => decodeHex(new HpackDecoder(LIMITS), block)).toThrow(new CompressionError(message));
});

test("refuses the index of an entry that was dropped", () => {
  const decoder = new HpackDecoder(LIMITS);
  decodeHex(decoder, "4001610162");
  decodeHex(decoder, "20");
  expect(() => decodeHex(decoder, "be")).toThrow(new CompressionError("an index without an entry"));
});

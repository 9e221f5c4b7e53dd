import { describe, expect, test } from "vitest";
import { HpackDecoder } from "../../src/hpack/decoder.ts";
import { HeaderField } from "../../src/hpack/header-field.ts";
import { decodeAll, decodeHex, fieldsOf, LIMITS } from "./blocks.ts";

const hex = (text: string): string => Buffer.from(text).toString("hex");

/** A string that is not Huffman-coded. */
function string(text: string): string {
  if (text.length < 127) {
    return Buffer.of(text.length).toString("hex") + hex(text);
  }
  const rest = text.length - 127;
  return Buffer.of(127, (rest & 0x7f) | 0x80, ((rest >> 7) & 0x7f) | 0x80, rest >> 14).toString("hex") + hex(text);
}
const indexed = (name: string, value: string): string => `40${string(name)}${string(value)}`;
const plain = (name: string, value: string): string => `00${string(name)}${string(value)}`;

describe("the dynamic table", () => {
  test("evicts the oldest entries to make room", () => {
    const decoder = new HpackDecoder(LIMITS);
    // Room for two entries of 34 bytes.
    const [, , third] = decodeAll(decoder, [`3f2d${indexed("a", "1")}`, indexed("b", "2"), `${indexed("c", "3")}bebf`]);
    expect(third && fieldsOf(third)).toEqual(["c: 3", "c: 3", "b: 2"]);
    expect(() => decodeHex(decoder, "c0")).toThrow("an index has no entry");
  });

  test("is emptied by an entry larger than the table, whose header is decoded as usual", () => {
    const decoder = new HpackDecoder(LIMITS);
    const large = "v".repeat(4096);
    const [, second] = decodeAll(decoder, [indexed("a", "1"), indexed("b", large)]);
    expect(second && fieldsOf(second)).toEqual([`b: ${large}`]);
    expect(() => decodeHex(decoder, "be")).toThrow("an index has no entry");
  });

  test("accepts a name from an entry that the new header evicts", () => {
    const decoder = new HpackDecoder(LIMITS);
    decodeHex(decoder, `3f05${indexed("abc", "1")}`);
    expect(fieldsOf(decodeHex(decoder, `7e${string("2")}be`))).toEqual(["abc: 2", "abc: 2"]);
  });

  test("accepts several sizes before the first header, and applies the last", () => {
    const decoder = new HpackDecoder(LIMITS);
    decodeHex(decoder, indexed("a", "1"));
    expect(fieldsOf(decodeHex(decoder, `203fe11f${indexed("b", "2")}be`))).toEqual(["b: 2", "b: 2"]);
    expect(() => decodeHex(decoder, "bf")).toThrow("an index has no entry");
  });

  test("accepts a size in a block without headers", () => {
    expect(decodeHex(new HpackDecoder(LIMITS), "20").fields).toEqual([]);
  });

  test("keeps 120 entries of the smallest size in order", () => {
    const decoder = new HpackDecoder(LIMITS);
    const names = Array.from(
      { length: 130 },
      (_, index) => String.fromCharCode(97 + (index % 26)) + String(index).padStart(3, "0"),
    );
    for (const name of names) {
      decodeHex(decoder, indexed(name, ""));
    }
    // 4096 bytes hold 113 entries of 36.
    const held = Array.from({ length: 113 }, (_, index) => decodeHex(decoder, Buffer.from(integer(62 + index)).toString("hex")));
    expect(held.map((block) => fieldsOf(block)[0])).toEqual(
      names
        .slice(-113)
        .reverse()
        .map((name) => `${name}: `),
    );
    expect(() => decodeHex(decoder, Buffer.from(integer(62 + 113)).toString("hex"))).toThrow("an index has no entry");
  });
});

const integer = (index: number): readonly number[] => (index < 127 ? [0x80 | index] : [0xff, index - 127]);

describe("headers in a table", () => {
  test("are the same object each time", () => {
    const decoder = new HpackDecoder(LIMITS);
    const [first] = decodeHex(decoder, indexed("a", "1")).fields;
    const [again, status] = decodeHex(decoder, "be88").fields;
    const [, statusAgain] = decodeHex(decoder, "be8882").fields;
    expect(first?.name).toBe("a");
    expect(again).toBe(first);
    expect(statusAgain).toBe(status);
  });
});

describe("a repeated block", () => {
  test.each([
    { change: "another entry", block: indexed("b", "2"), meaning: "b: 2" },
    { change: "a new size", block: `203fe11f${indexed("c", "3")}`, meaning: "c: 3" },
  ])("is decoded again after $change", ({ block, meaning }) => {
    const decoder = new HpackDecoder(LIMITS);
    const blocks = decodeAll(decoder, [indexed("a", "1"), "be", block, "be"]);
    expect(blocks.map(fieldsOf)).toEqual([["a: 1"], ["a: 1"], [meaning], [meaning]]);
  });

  test.each([
    { change: "an entry that is too large for the table", block: indexed("b", "2".repeat(4096)) },
    { change: "an entry that is too large to be held", block: indexed("b", "2".repeat(20_000)) },
    { change: "a size of zero", block: "20" },
  ])("is decoded again after $change", ({ block }) => {
    const decoder = new HpackDecoder(LIMITS);
    decodeAll(decoder, [indexed("a", "1"), "be", block]);
    expect(() => decodeHex(decoder, "be")).toThrow("an index has no entry");
  });

  test("is decoded each time if it adds to the table", () => {
    const decoder = new HpackDecoder(LIMITS);
    const blocks = decodeAll(decoder, [indexed("a", "1"), `${indexed("b", "2")}bf`, `${indexed("b", "2")}bf`, "c0"]);
    expect(blocks.map(fieldsOf)).toEqual([["a: 1"], ["b: 2", "a: 1"], ["b: 2", "b: 2"], ["a: 1"]]);
  });
});

describe("limits", () => {
  const limits = { listBytesMax: 200, fieldsMax: 4 };

  test.each([
    { kind: "as many headers as allowed", block: "82828282", fields: 4, isTooLarge: false },
    { kind: "one header more than allowed", block: "8282828282", fields: 4, isTooLarge: true },
    { kind: "as many bytes as allowed", block: plain("a", "v".repeat(167)), fields: 1, isTooLarge: false },
    { kind: "one byte more than allowed", block: plain("a", "v".repeat(168)), fields: 0, isTooLarge: true },
    { kind: "a name of as many bytes as allowed", block: plain("n".repeat(168), ""), fields: 1, isTooLarge: false },
    { kind: "a name of one byte more than allowed", block: plain("n".repeat(169), ""), fields: 0, isTooLarge: true },
    {
      kind: "headers that fit, after one that does not",
      block: `82${plain("a", "v".repeat(168))}8384`,
      fields: 3,
      isTooLarge: true,
    },
    { kind: "bytes over the limit in many headers", block: plain("a", "v".repeat(60)).repeat(3), fields: 2, isTooLarge: true },
  ])("$kind", ({ block, fields, isTooLarge }) => {
    const decoded = decodeHex(new HpackDecoder(limits), block);
    expect([decoded.fields.length, decoded.isTooLarge]).toEqual([fields, isTooLarge]);
  });

  test.each([
    // Zeros are the code of 0, eight of them in five bytes.
    { codedBytes: 105, characters: 168, isTooLarge: true },
    { codedBytes: 100, characters: 160, isTooLarge: false },
  ])("$codedBytes Huffman-coded bytes count as the $characters characters they decode to", ({ codedBytes, isTooLarge }) => {
    const decoded = decodeHex(
      new HpackDecoder(limits),
      `000161${Buffer.of(0x80 | codedBytes).toString("hex")}${"00".repeat(codedBytes)}`,
    );
    expect(decoded.isTooLarge).toBe(isTooLarge);
  });

  test("an entry that is referenced repeatedly counts each time", () => {
    const decoder = new HpackDecoder(LIMITS);
    decodeHex(decoder, indexed("bomb", "b".repeat(4000)));
    const decoded = decodeHex(decoder, "be".repeat(16_000));
    expect([decoded.fields.length, decoded.isTooLarge]).toEqual([4, true]);
  });

  test("entries over the limits are still added to the table", () => {
    const decoder = new HpackDecoder({ listBytesMax: 100, fieldsMax: 1 });
    const large = "v".repeat(1000);
    const decoded = decodeHex(decoder, indexed("a", large) + indexed("b", "1") + indexed("c", "2"));
    expect([fieldsOf(decoded), decoded.isTooLarge]).toEqual([["b: 1"], true]);
    expect(fieldsOf(decodeHex(decoder, "be"))).toEqual(["c: 2"]);
    expect(fieldsOf(decodeHex(new HpackDecoder(LIMITS), indexed("a", large)))).toEqual([`a: ${large}`]);
    expect(decodeHex(decoder, "c0")).toMatchObject({ fields: [], isTooLarge: true });
  });

  test("do not hide invalid coding in discarded strings", () => {
    const decoder = new HpackDecoder({ listBytesMax: 40, fieldsMax: 1 });
    expect(() => decodeHex(decoder, `82${"000161"}8118`)).toThrow("a string has invalid Huffman coding");
  });
});

describe("bytes that HTTP/2 does not allow", () => {
  test.each([
    ["a", "1", true],
    ["a", "", true],
    [":a", "1", true],
    ["a-b_c.d!e~9", "1", true],
    ["a", "1 2\t3", true],
    ["a", "\x80\xff", true],
    ["", "1", false],
    [":", "1", false],
    ["::a", "1", false],
    ["a:b", "1", false],
    ["A", "1", false],
    ["a b", "1", false],
    ["a\0", "1", false],
    ["\xe4", "1", false],
    ["a", "\0", false],
    ["a", "1\r", false],
    ["a", "1\n2", false],
    ["a", "\x7f", false],
  ])("%j: %j is well-formed: %j", (name, value, isWellFormed) => {
    const literal = (text: string): string => Buffer.from([text.length, ...Buffer.from(text, "latin1")]).toString("hex");
    const decoder = new HpackDecoder(LIMITS);
    const [field] = decodeHex(decoder, `40${literal(name)}${literal(value)}`).fields;
    expect([field?.name, field?.value, field?.isWellFormed]).toEqual([name, value, isWellFormed]);
    // By the entry's name, with a valid value.
    const [named] = decodeHex(decoder, "7e0131").fields;
    expect([named?.isWellFormed, named?.isNameWellFormed]).toEqual([field?.isNameWellFormed, field?.isNameWellFormed]);
  });

  test.each([
    [" 1", "1"],
    ["1\t ", "1"],
    [" \t", ""],
    ["\xa01", "\xa01"],
  ])("the value %j is read as %j, and counts for its whole length", (sent, value) => {
    const field = new HeaderField("a", sent);
    expect([field.value, field.isWellFormed, field.bytes]).toEqual([value, true, 1 + sent.length + 32]);
    expect(new HeaderField(":path", sent).value).toBe(sent);
  });
});

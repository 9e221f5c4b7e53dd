import { describe, expect, test } from "vitest";
import { HpackDecoder } from "../../../src/http/hpack/decoder.ts";
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
  test("drops the oldest entries to make room", () => {
    const decoder = new HpackDecoder(LIMITS);
    // Room for two entries of 34 octets.
    const [, , third] = decodeAll(decoder, [`3f2d${indexed("a", "1")}`, indexed("b", "2"), `${indexed("c", "3")}bebf`]);
    expect(third && fieldsOf(third)).toEqual(["c: 3", "c: 3", "b: 2"]);
    expect(() => decodeHex(decoder, "c0")).toThrow("an index without an entry");
  });

  test("is emptied by an entry that is larger than itself, which is itself a header like any other", () => {
    const decoder = new HpackDecoder(LIMITS);
    const large = "v".repeat(4096);
    const [, second] = decodeAll(decoder, [indexed("a", "1"), indexed("b", large)]);
    expect(second && fieldsOf(second)).toEqual([`b: ${large}`]);
    expect(() => decodeHex(decoder, "be")).toThrow("an index without an entry");
  });

  test("takes the name of an entry that its own header drops", () => {
    const decoder = new HpackDecoder(LIMITS);
    decodeHex(decoder, `3f05${indexed("abc", "1")}`);
    expect(fieldsOf(decodeHex(decoder, `7e${string("2")}be`))).toEqual(["abc: 2", "abc: 2"]);
  });

  test("takes several sizes before the first header, and holds to the last", () => {
    const decoder = new HpackDecoder(LIMITS);
    decodeHex(decoder, indexed("a", "1"));
    expect(fieldsOf(decodeHex(decoder, `203fe11f${indexed("b", "2")}be`))).toEqual(["b: 2", "b: 2"]);
    expect(() => decodeHex(decoder, "bf")).toThrow("an index without an entry");
  });

  test("takes a size in a block without headers", () => {
    expect(decodeHex(new HpackDecoder(LIMITS), "20").fields).toEqual([]);
  });

  test("keeps 120 entries of the least size in order", () => {
    const decoder = new HpackDecoder(LIMITS);
    const names = Array.from(
      { length: 130 },
      (_, index) => String.fromCharCode(97 + (index % 26)) + String(index).padStart(3, "0"),
    );
    for (const name of names) {
      decodeHex(decoder, indexed(name, ""));
    }
    // 4096 octets hold 113 entries of 36.
    const held = Array.from({ length: 113 }, (_, index) => decodeHex(decoder, Buffer.from(integer(62 + index)).toString("hex")));
    expect(held.map((block) => fieldsOf(block)[0])).toEqual(
      names
        .slice(-113)
        .reverse()
        .map((name) => `${name}: `),
    );
    expect(() => decodeHex(decoder, Buffer.from(integer(62 + 113)).toString("hex"))).toThrow("an index without an entry");
  });
});

const integer = (index: number): readonly number[] => (index < 127 ? [0x80 | index] : [0xff, index - 127]);

describe("headers that stand in a table", () => {
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

describe("a block that comes again", () => {
  test("gives the same object, with what the caller noted in it", () => {
    const decoder = new HpackDecoder<string>(LIMITS);
    decodeHex(decoder, indexed("a", "1"));
    const first = decodeHex(decoder, "82be");
    first.facts = "noted";
    const other = decodeHex(decoder, "83be");
    expect(decodeHex(decoder, "82be")).toBe(first);
    expect(decodeHex(decoder, "83be")).toBe(other);
    expect([first.facts, other.facts]).toEqual(["noted", undefined]);
  });

  test.each([
    { change: "another entry", block: indexed("b", "2"), meaning: "b: 2" },
    { change: "a new size", block: `203fe11f${indexed("c", "3")}`, meaning: "c: 3" },
  ])("is decoded anew after $change", ({ block, meaning }) => {
    const decoder = new HpackDecoder(LIMITS);
    const blocks = decodeAll(decoder, [indexed("a", "1"), "be", block, "be"]);
    expect(blocks.map(fieldsOf)).toEqual([["a: 1"], ["a: 1"], [meaning], [meaning]]);
  });

  test.each([
    { change: "an entry that is too large for the table", block: indexed("b", "2".repeat(4096)) },
    { change: "an entry that is too large to be held", block: indexed("b", "2".repeat(20_000)) },
    { change: "a size of nothing", block: "20" },
  ])("is decoded anew after $change", ({ block }) => {
    const decoder = new HpackDecoder(LIMITS);
    decodeAll(decoder, [indexed("a", "1"), "be", block]);
    expect(() => decodeHex(decoder, "be")).toThrow("an index without an entry");
  });

  test("is decoded each time where it adds to the table", () => {
    const decoder = new HpackDecoder(LIMITS);
    const blocks = decodeAll(decoder, [indexed("a", "1"), `${indexed("b", "2")}bf`, `${indexed("b", "2")}bf`, "c0"]);
    expect(blocks.map(fieldsOf)).toEqual([["a: 1"], ["b: 2", "a: 1"], ["b: 2", "b: 2"], ["a: 1"]]);
  });

  test("is found among four", () => {
    const decoder = new HpackDecoder(LIMITS);
    const blocks = ["81", "82", "83", "84", "85"];
    const first = decodeAll(decoder, blocks);
    const again = decodeAll(decoder, blocks.slice(1));
    expect(again.map((block, index) => block === first[index + 1])).toEqual([true, true, true, true]);
    expect(decodeHex(decoder, "81")).not.toBe(first[0]);
  });

  test("that is long is decoded again", () => {
    const decoder = new HpackDecoder(LIMITS);
    const long = "82".repeat(100) + plain("a", "1".repeat(29));
    expect(decodeHex(decoder, long)).not.toBe(decodeHex(decoder, long));
  });
});

describe("limits", () => {
  const limits = { listBytesMax: 200, fieldsMax: 4 };

  test.each([
    { kind: "as many headers as allowed", block: "82828282", fields: 4, isTooLarge: false },
    { kind: "one header more than allowed", block: "8282828282", fields: 4, isTooLarge: true },
    { kind: "as many octets as allowed", block: plain("a", "v".repeat(167)), fields: 1, isTooLarge: false },
    { kind: "one octet more than allowed", block: plain("a", "v".repeat(168)), fields: 0, isTooLarge: true },
    { kind: "a name of as many octets as allowed", block: plain("n".repeat(168), ""), fields: 1, isTooLarge: false },
    { kind: "a name of one octet more than allowed", block: plain("n".repeat(169), ""), fields: 0, isTooLarge: true },
    { kind: "what fits, behind what does not", block: `82${plain("a", "v".repeat(168))}8384`, fields: 3, isTooLarge: true },
    { kind: "octets over the limit in many headers", block: plain("a", "v".repeat(60)).repeat(3), fields: 2, isTooLarge: true },
  ])("$kind", ({ block, fields, isTooLarge }) => {
    const decoded = decodeHex(new HpackDecoder(limits), block);
    expect([decoded.fields.length, decoded.isTooLarge]).toEqual([fields, isTooLarge]);
  });

  test.each([
    // Zeros are the code of 0, eight of them in five octets.
    { octets: 105, characters: 168, isTooLarge: true },
    { octets: 100, characters: 160, isTooLarge: false },
  ])("$octets Huffman-coded octets count as the $characters they say", ({ octets, isTooLarge }) => {
    const decoded = decodeHex(new HpackDecoder(limits), `000161${Buffer.of(0x80 | octets).toString("hex")}${"00".repeat(octets)}`);
    expect(decoded.isTooLarge).toBe(isTooLarge);
  });

  test("one entry that is referred to again and again counts each time", () => {
    const decoder = new HpackDecoder(LIMITS);
    decodeHex(decoder, indexed("bomb", "b".repeat(4000)));
    const decoded = decodeHex(decoder, "be".repeat(16_000));
    expect([decoded.fields.length, decoded.isTooLarge]).toEqual([4, true]);
  });

  test("entries that are over them stand in the table all the same", () => {
    const decoder = new HpackDecoder({ listBytesMax: 100, fieldsMax: 1 });
    const large = "v".repeat(1000);
    const decoded = decodeHex(decoder, indexed("a", large) + indexed("b", "1") + indexed("c", "2"));
    expect([fieldsOf(decoded), decoded.isTooLarge]).toEqual([["b: 1"], true]);
    expect(fieldsOf(decodeHex(decoder, "be"))).toEqual(["c: 2"]);
    expect(fieldsOf(decodeHex(new HpackDecoder(LIMITS), indexed("a", large)))).toEqual([`a: ${large}`]);
    expect(decodeHex(decoder, "c0")).toMatchObject({ fields: [], isTooLarge: true });
  });

  test("hold for the wrong coding of strings that are thrown away too", () => {
    const decoder = new HpackDecoder({ listBytesMax: 40, fieldsMax: 1 });
    expect(() => decodeHex(decoder, `82${"000161"}8118`)).toThrow("a string whose Huffman coding is wrong");
  });
});

describe("octets that HTTP/2 does not allow", () => {
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
    ["a", " 1", false],
    ["a", "1 ", false],
    ["a", "\t", false],
  ])("%j: %j is well-formed: %j", (name, value, isWellFormed) => {
    const octets = (text: string): string => Buffer.from([text.length, ...Buffer.from(text, "latin1")]).toString("hex");
    const decoder = new HpackDecoder(LIMITS);
    const [field] = decodeHex(decoder, `40${octets(name)}${octets(value)}`).fields;
    expect([field?.name, field?.value, field?.isWellFormed]).toEqual([name, value, isWellFormed]);
    // By the entry's name, with a value that is right.
    const [named] = decodeHex(decoder, "7e0131").fields;
    expect([named?.isWellFormed, named?.isNameWellFormed]).toEqual([field?.isNameWellFormed, field?.isNameWellFormed]);
  });
});

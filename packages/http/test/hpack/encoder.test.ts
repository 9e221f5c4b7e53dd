import { describe, expect, test } from "vitest";
import { HpackDecoder } from "../../src/hpack/decoder.ts";
import { BLOCK_START_BYTES_MAX, HpackEncoder } from "../../src/hpack/encoder.ts";
import { KnownFields } from "../../src/hpack/known-fields.ts";
import { fieldBytesMax, writeField, writeSecretField } from "../../src/hpack/literals.ts";
import { decodeHex, fieldsOf, LIMITS } from "./blocks.ts";

type Write = (into: Uint8Array, at: number, name: string, value: string) => number;

/** The bytes of one header, written within a buffer that has just enough room. */
function written(write: Write, name: string, value: string): string {
  const into = Buffer.alloc(fieldBytesMax(name, value) + 2, 0xee);
  const end = write(into, 1, name, value);
  // Nothing is written before or after it.
  expect([into[0], ...into.subarray(end)].filter((byte) => byte !== 0xee)).toEqual([]);
  return into.toString("hex", 1, end);
}

// The strings are those of https://www.rfc-editor.org/rfc/rfc7541#appendix-C.6.3
const COOKIE = "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1";
const COOKIE_HEX = "ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007";

describe("headers that are written without a dynamic table", () => {
  test.each([
    ["name and value of the static table", ":status", "200", "88"],
    ["a value of the static table that is not the first for its name", ":status", "404", "8d"],
    ["an empty value of the static table", "via", "", "bc"],
    ["a name of the static table", ":status", "302", "08826402"],
    ["a name far down in the static table", "cache-control", "private", "0f0985aec3771a4b"],
    ["a new name", "custom-key", "custom-value", "008825a849e95ba97d7f8925a849e95bb8e8b4bf"],
    ["an empty value", ":status", "", "0800"],
    ["a value that Huffman coding would make longer", "age", "{}", "0f06027b7d"],
    ["a value that Huffman coding would not make shorter", "age", "&", "0f060126"],
    ["bytes over 127", "age", "\x80\xff", "0f060280ff"],
    ["a string of 127 bytes", "age", "\x80".repeat(127), `0f067f00${"80".repeat(127)}`],
    ["a string of 300 bytes", "age", "\x80".repeat(300), `0f067fad01${"80".repeat(300)}`],
  ])("%s", (_kind, name, value, hex) => {
    expect(written(writeField, name, value)).toBe(hex);
  });

  test.each([
    ["a secret", "set-cookie", COOKIE, `1f28${COOKIE_HEX}`],
    ["a secret in the static table", ":method", "GET", "1203474554"],
    ["a secret with a new name", "custom-key", "custom-value", "108825a849e95ba97d7f8925a849e95bb8e8b4bf"],
  ])("%s is never indexed", (_kind, name, value, hex) => {
    expect(written(writeSecretField, name, value)).toBe(hex);
  });
});

describe("headers that are added to a connection's table", () => {
  const HEADERS = [
    [":status", "200"],
    ["content-type", "application/grpc"],
    ["server", "a"],
  ] as const;

  function block(encoder: HpackEncoder, headers: readonly (readonly [string, string])[]): string {
    const into = Buffer.alloc(headers.reduce((bytes, [name, value]) => bytes + fieldBytesMax(name, value), BLOCK_START_BYTES_MAX));
    let at = encoder.startBlock(into, 0);
    for (const [name, value] of headers) {
      at = encoder.writeRepeatedField(into, at, name, value);
    }
    return into.toString("hex", 0, at);
  }

  /** The bytes of two blocks, and what they decode to. */
  function twice(encoder: HpackEncoder, headers: readonly (readonly [string, string])[]): readonly string[] {
    const decoder = new HpackDecoder(LIMITS);
    const blocks = [block(encoder, headers), block(encoder, headers)];
    const said = headers.map(([name, value]) => `${name}: ${value}`);
    expect(blocks.map((hex) => fieldsOf(decodeHex(decoder, hex)))).toEqual([said, said]);
    return blocks;
  }

  test("are literal once, and then take a byte each", () => {
    expect(twice(new HpackEncoder(new KnownFields()), HEADERS)).toEqual(["885f8b1d75d0620d263d4c4d6564760161", "88bfbe"]);
  });

  test("are distinguished by their values", () => {
    const values = [
      ["server", "a"],
      ["server", "b"],
    ] as const;
    expect(twice(new HpackEncoder(new KnownFields()), values)).toEqual(["760161760162", "bfbe"]);
  });

  test("are literal if the peer allows no table", () => {
    const encoder = new HpackEncoder(new KnownFields());
    encoder.setTableBytesMax(0);
    expect(twice(encoder, HEADERS)).toEqual([
      "2020880f108b1d75d0620d263d4c4d65640f270161",
      "880f108b1d75d0620d263d4c4d65640f270161",
    ]);
  });

  test("are literal if the table is full, and its entries stay", () => {
    const encoder = new HpackEncoder(new KnownFields());
    // Room for content-type: application/grpc and no more.
    encoder.setTableBytesMax(60);
    expect(twice(encoder, HEADERS)).toEqual(["203f1d885f8b1d75d0620d263d4c4d65640f270161", "88be0f270161"]);
  });

  test("start over with a smaller table", () => {
    const encoder = new HpackEncoder(new KnownFields());
    const decoder = new HpackDecoder(LIMITS);
    const blocks = [block(encoder, HEADERS)];
    encoder.setTableBytesMax(60);
    blocks.push(block(encoder, HEADERS), block(encoder, HEADERS));
    expect(blocks.map((hex) => fieldsOf(decodeHex(decoder, hex)))).toEqual(
      [1, 2, 3].map(() => HEADERS.map((field) => field.join(": "))),
    );
    expect(blocks[1]).toBe("203f1d885f8b1d75d0620d263d4c4d65640f270161");
  });

  test.each([4096, 4097, 65_536, 2 ** 32 - 1])(
    "take no more than the default of 4096 bytes if the peer has room for %d",
    (bytes) => {
      const encoder = new HpackEncoder(new KnownFields());
      encoder.setTableBytesMax(bytes);
      expect(encoder.startBlock(Buffer.alloc(BLOCK_START_BYTES_MAX), 0)).toBe(0);
      const many = Array.from({ length: 100 }, (_, index): [string, string] => ["server", String(index).padStart(10, "0")]);
      const [, second] = twice(encoder, many);
      // 4096 bytes hold 85 entries of 48. Those are sent by index, twenty of them in two bytes, and the others are literal.
      expect([second?.slice(0, 8), second?.slice(2 * 105, 2 * 105 + 4)]).toEqual(["ff13ff12", "0f27"]);
    },
  );
});

describe("headers shared by connections", () => {
  test("are only in the tables of connections that have sent them", () => {
    const known = new KnownFields();
    const [first, second] = [new HpackEncoder(known), new HpackEncoder(known)];
    const write = (encoder: HpackEncoder, value: string): string =>
      written(encoder.writeRepeatedField.bind(encoder), "server", value);
    expect([write(first, "a"), write(first, "b"), write(second, "b"), write(second, "a"), write(first, "a")]).toEqual([
      "760161",
      "760162",
      "760162",
      "760161",
      "bf",
    ]);
  });

  test("are literal if there are too many of them", () => {
    const known = new KnownFields();
    for (let value = 0; value < 2000; value += 1) {
      known.add("age", String(value));
    }
    const encoder = new HpackEncoder(known);
    const write = (name: string): string => written(encoder.writeRepeatedField.bind(encoder), name, "a");
    expect([write("server"), write("server")]).toEqual(["0f270161", "0f270161"]);
  });
});

describe("headers whose value changes", () => {
  test.each([
    ["are added to the table once, and then take their name from there", "x-id", ["4083f2b1a4023130", "0f2f023230", "0f2f023330"]],
    ["take their name from the static table", "age", ["0f06023130", "0f06023230", "0f06023330"]],
  ])("%s, with a literal value", (_kind, name, blocks) => {
    const encoder = new HpackEncoder(new KnownFields());
    expect(["10", "20", "30"].map((value) => written(encoder.writeChangingField.bind(encoder), name, value))).toEqual(blocks);
  });

  test("are literal if the peer allows no table", () => {
    const encoder = new HpackEncoder(new KnownFields());
    encoder.setTableBytesMax(0);
    expect(["10", "20"].map((value) => written(encoder.writeChangingField.bind(encoder), "x-id", value))).toEqual([
      "0083f2b1a4023130",
      "0083f2b1a4023230",
    ]);
  });
});

test("headers whose every value differs use up no ids, however many connections there were", () => {
  const known = new KnownFields();
  const into = Buffer.alloc(1000);
  for (let connection = 0; connection < 5000; connection += 1) {
    new HpackEncoder(known).writeChangingField(into, 0, "x-request-id", `id ${connection}`);
  }
  const encoder = new HpackEncoder(known);
  const lengths = ["first", "second"].map((value) => [
    encoder.writeChangingField(into, 0, "x-request-id", value),
    encoder.writeRepeatedField(into, 0, "x-new", "the same"),
  ]);
  // The second time the name is indexed, and so is the whole header.
  expect(lengths).toEqual([
    [expect.any(Number), expect.any(Number)],
    [2 + 1 + "second".length, 1],
  ]);
});

// Trees of bytes: a message with a field of every kind, JSON as servers write it, and input that is malformed or too large.
import { create, toBinary } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { anyPack } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.js";
import { bodyTree } from "../../../portal/app/console/wire/body-tree.ts";
import { bytesOf, envelope, textOf } from "../../../portal/app/console/wire/bytes.ts";
import { jsonNode } from "../../../portal/app/console/wire/json-tree.ts";
import { nodeBudget, type WireNode } from "../../../portal/app/console/wire/node.ts";
import { protobufNodes } from "../../../portal/app/console/wire/protobuf-tree.ts";
import { rowsOf } from "../../../portal/app/console/wire/rows.ts";
import { Color, EverythingSchema } from "../../gen/quintet/testing/v1/everything_pb.js";
import { CONTRACT } from "./contract.ts";

const treeOf = (bytes: Uint8Array): readonly WireNode[] =>
  protobufNodes(bytes, 0, bytes.length, EverythingSchema, nodeBudget(1000));
const shown = ({ label, note, value, children }: WireNode): unknown => [
  label,
  note,
  children.length === 0 ? value : children.map(shown),
];

describe("A message", () => {
  test("has every field with its name, number and value", () => {
    const bytes = toBinary(
      EverythingSchema,
      create(EverythingSchema, {
        doubleValue: -1.5,
        floatValue: 0.5,
        int32Value: -1,
        uint64Value: 18446744073709551615n,
        sint32Value: -7,
        fixed64Value: 9n,
        sfixed32Value: -2,
        boolValue: true,
        stringValue: 'a "b"',
        bytesValue: new Uint8Array([1, 255]),
        color: Color.ULTRAVIOLET,
        nested: { int64Value: -9223372036854775808n },
        doubleList: [1, 2],
        stringList: ["x", ""],
        int32Map: { k: 3 },
      }),
    );
    expect(treeOf(bytes).map(shown)).toEqual([
      ["double_value", "field 1, 64 bits", "-1.5"],
      ["float_value", "field 2, 32 bits", "0.5"],
      ["int32_value", "field 3, varint", "-1"],
      ["uint64_value", "field 6, varint", "18446744073709551615"],
      ["sint32_value", "field 7, varint", "-7"],
      ["fixed64_value", "field 10, 64 bits", "9"],
      ["sfixed32_value", "field 11, 32 bits", "-2"],
      ["bool_value", "field 13, varint", "true"],
      ["string_value", "field 14, length-delimited", '"a \\"b\\""'],
      ["bytes_value", "field 15, length-delimited", "01 ff"],
      ["color", "field 16, varint", "COLOR_ULTRAVIOLET"],
      ["nested", "field 17, length-delimited", [["int64_value", "field 4, varint", "-9223372036854775808"]]],
      [
        "double_list",
        "field 33, length-delimited, packed",
        [
          ["[0]", "", "1"],
          ["[1]", "", "2"],
        ],
      ],
      ["string_list", "field 35, length-delimited", '"x"'],
      ["string_list", "field 35, length-delimited", '""'],
      [
        "int32_map",
        "field 52, length-delimited, map entry",
        [
          ["key", "field 1, length-delimited", '"k"'],
          ["value", "field 2, varint", "3"],
        ],
      ],
    ]);
  });

  test.each([
    ["a field that the descriptor does not have", [0xf8, 0x07, 5], [["unknown", "field 127, varint", "5"]]],
    ["a length past the end", [0x72, 9, 1], [["?", "is shorter than its length says", "3 bytes"]]],
    ["a varint that does not end", [0x18, 0xff], [["?", "has a varint that does not end", "2 bytes"]]],
    ["groups", [0x1b], [["?", "has the wire type 3, which proto3 does not use", "1 bytes"]]],
    ["a value that is cut", [0x09, 1, 2], [["?", "ends inside a value", "3 bytes"]]],
    ["a packed value that is cut at the end", [0x4a, 1, 0], [["?", "ends inside a value", "3 bytes"]]],
    [
      "a packed value that is cut before other fields",
      [0x4a, 5, 1, 0, 0, 0, 2, 0x18, 5, 0x18, 6],
      [["?", "ends inside a value", "11 bytes"]],
    ],
  ])("shows %s as what it is", (_, bytes, expected) => {
    expect(treeOf(new Uint8Array(bytes)).map(shown)).toEqual(expected);
  });

  test("of any bytes is read without an error, inside its bounds, and every byte has one segment", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (bytes, nodesMax) => {
        const budget = nodeBudget(nodesMax);
        const nodes = protobufNodes(bytes, 0, bytes.length, EverythingSchema, budget);
        const { rows, segments } = rowsOf(nodes, bytes.length);
        const covered = segments.map(({ start, end }, index) => start === (segments[index - 1]?.end ?? 0) && end > start);
        return (
          rows.length <= nodesMax &&
          covered.every(Boolean) &&
          (segments.at(-1)?.end ?? 0) === bytes.length &&
          rows.every(({ node }) => node.start >= 0 && node.end <= bytes.length)
        );
      }),
      // Only one random run in several thousand has a packed value that the field's length cuts.
      { numRuns: 2000, examples: [[new Uint8Array([74, 1, 0]), 2]] },
    );
  });
});

describe("JSON", () => {
  test("of any value is found at its position", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.integer({ min: 0, max: 2 }), (text, indent) => {
        const bytes = bytesOf(JSON.stringify(JSON.parse(text), undefined, indent));
        const check = (node: WireNode, value: unknown): boolean => {
          const own = node.parts.find(({ kind }) => kind === "value");
          if (typeof value !== "object" || value === null) {
            return (
              own !== undefined && JSON.stringify(JSON.parse(textOf(bytes.subarray(own.start, own.end)))) === JSON.stringify(value)
            );
          }
          const entries = Object.entries(value);
          return (
            node.children.length === entries.length && node.children.every((child, index) => check(child, entries[index]?.[1]))
          );
        };
        return check(jsonNode(bytes, 0, bytes.length, "JSON", nodeBudget(10_000)), JSON.parse(textOf(bytes)));
      }),
      { numRuns: 500 },
    );
  });

  test.each(["", "{", '{"a"', '{"a":1', "[1,,2]", "[1}", '"abc', "nope", '{"a":1 "b":2}', "{1:2}"])(
    "that is invalid, %s, is shown as a string",
    (text) => {
      const bytes = bytesOf(text);
      expect(jsonNode(bytes, 0, bytes.length, "JSON", nodeBudget(100))).toMatchObject({
        label: "JSON",
        note: "text",
        start: 0,
        end: bytes.length,
      });
    },
  );

  test("with more values than the limit is truncated, and its full length is known", () => {
    const bytes = bytesOf(JSON.stringify({ a: Array.from({ length: 1000 }, (_, index) => [index, { b: "}" }]), c: 1 }));
    const budget = nodeBudget(10);
    const node = jsonNode(bytes, 0, bytes.length, "JSON", budget);
    expect([rowsOf([node], bytes.length).rows.length, budget.isCut, node.end]).toEqual([11, true, bytes.length]);
  });

  test("of a megabyte is read quickly", () => {
    const bytes = bytesOf(JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ index, text: "x".repeat(30) }))));
    const budget = nodeBudget(250);
    const { nodes } = bodyTree("application/json", bytes, { desc: EverythingSchema, registry: CONTRACT.registry, budget });
    expect([bytes.length > 1_000_000, nodes[0]?.end, budget.isCut]).toEqual([true, bytes.length, true]);
  });
});

describe("Trailers", () => {
  const { registry } = CONTRACT;
  const framed = (text: string): Uint8Array => envelope(0x80, bytesOf(text));
  const trailersOf = (text: string): WireNode | undefined => {
    const reading = { desc: EverythingSchema, registry, budget: nodeBudget(100) };
    return bodyTree("application/grpc-web+proto", framed(text), reading).nodes[0];
  };

  test("have their status, message and details explained", () => {
    const info = create(ErrorInfoSchema, { reason: "RATE_LIMITED", domain: "quintet.example", metadata: { limit: "7" } });
    const status = create(StatusSchema, { code: 8, details: [anyPack(ErrorInfoSchema, info)] });
    const base64 = base64Encode(toBinary(StatusSchema, status), "std_raw");
    const trailers = trailersOf(`grpc-status: 8\r\ngrpc-message: at%20most 7\r\ngrpc-status-details-bin: ${base64}\r\nx: y\r\n`);
    expect(trailers?.label).toBe("Trailers");
    expect(trailers?.children.map(shown)).toEqual([
      ["grpc-status", "RESOURCE_EXHAUSTED", '"8"'],
      ["grpc-message", "", '"at most 7"'],
      [
        "grpc-status-details-bin",
        "google.rpc.Status in base64",
        [["google.rpc.ErrorInfo", "", '{"reason":"RATE_LIMITED","domain":"quintet.example","metadata":{"limit":"7"}}']],
      ],
      ["x", "", '"y"'],
    ]);
  });

  test("with invalid details are marked as such", () => {
    expect(trailersOf("grpc-status-details-bin: !\r\n")?.children.map(shown)).toEqual([
      ["grpc-status-details-bin", "google.rpc.Status in base64", [["?", "is not a google.rpc.Status", '"!"']]],
    ]);
  });
});

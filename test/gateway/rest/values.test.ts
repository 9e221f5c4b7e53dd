import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { EverythingSchema } from "../../gen/quintet/testing/v1/everything_pb.js";
import { bound } from "./binding.ts";

const echo = { to: "GET /v1/everything" };

// Text is read in the same way in a query, a form and, for single values, a JSON string.
const TIMESTAMP = "must be a time in RFC 3339 format such as 2026-01-31T12:00:00Z, or in Unix seconds such as 1769860800";

describe("a value is read from text only in the form of its type", () => {
  test.each([
    // Integers.
    ["int32_value", "-2147483648", -2147483648],
    ["int32_value", "2147483647", 2147483647],
    ["int32_value", "-1", -1],
    ["uint32_value", "4294967295", 4294967295],
    ["sint32_value", "-7", -7],
    ["fixed32_value", "7", 7],
    ["sfixed32_value", "-7", -7],
    ["int64_value", "-9223372036854775808", "-9223372036854775808"],
    ["int64_value", "9007199254740993", "9007199254740993"],
    ["uint64_value", "18446744073709551615", "18446744073709551615"],
    ["sint64_value", "-7", "-7"],
    ["fixed64_value", "7", "7"],
    ["sfixed64_value", "-7", "-7"],
    ["text_int64_value", "-7", "-7"],
    // Whole numbers in the forms that encoders of other languages write.
    ["int32_value", "1.0", 1],
    ["int32_value", "1e2", 100],
    ["int32_value", "1E+05", 100_000],
    ["int32_value", "1.5e1", 15],
    ["int32_value", "1500e-2", 15],
    ["int32_value", "-20.00", -20],
    ["optional_int32", "0e9", 0],
    ["optional_int32", "0.0", 0],
    // A plus sign that a query does not escape.
    ["int32_value", "1e+05", 100_000],
    ["int64_value", "1.76e 09", "1760000000"],
    ["double_value", "1.5e 2", 150],
    ["int64_value", "1.76e+09", "1760000000"],
    ["int64_value", "9.223372036854775807e18", "9223372036854775807"],
    ["uint64_value", "1e19", "10000000000000000000"],
    ["optional_int32", "0", 0],
    ["optional_int32", "-0", 0],
    ["optional_int64", "0", "0"],
    // Floats.
    ["double_value", "1.5", 1.5],
    ["double_value", "-1.5e-3", -0.0015],
    ["double_value", "1E308", 1e308],
    ["double_value", "12", 12],
    ["float_value", "0.5", 0.5],
    ["float_value", "3.4028234e38", 3.4028234e38],
    ["optional_double", "0", 0],
    // Booleans.
    ["bool_value", "true", true],
    ["bool_value", "TRUE", true],
    ["bool_value", "True", true],
    ["optional_bool", "False", false],
    // Strings and bytes.
    ["string_value", " a ", " a "],
    ["bytes_value", "/+8=", "/+8="],
    ["bytes_value", "_-8=", "/+8="],
    ["bytes_value", "_-8", "/+8="],
    ["optional_bytes", "AA==", "AA=="],
    // Enums.
    ["color", "COLOR_RED", "COLOR_RED"],
    ["color", "color_red", "COLOR_RED"],
    ["color", "red", "COLOR_RED"],
    ["color", "Dark_Blue", "COLOR_DARK_BLUE"],
    ["color", "navy", "COLOR_DARK_BLUE"],
    ["color", "1", "COLOR_RED"],
    ["color", "-3", "COLOR_ULTRAVIOLET"],
    ["optional_color", "unspecified", "COLOR_UNSPECIFIED"],
    // Well-known types.
    ["time", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"],
    ["time", "2026-01-31t12:00:00.123456789z", "2026-01-31T12:00:00.123456789Z"],
    ["time", "2026-01-31T12:00:00.5+01:30", "2026-01-31T10:30:00.500Z"],
    ["time", "2026-01-31T12:00:00-11:00", "2026-01-31T23:00:00Z"],
    ["time", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ["time", "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"],
    ["time", "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
    ["duration", "1.5s", "1.500s"],
    ["duration", "-0.000000001s", "-0.000000001s"],
    ["duration", "0s", "0s"],
    ["duration", "-315576000000s", "-315576000000s"],
    ["mask", "a,b_c.d,eF", "a,bC.d,eF"],
    ["struct", '{"a":[1,null,{"b":"c"}]}', { a: [1, null, { b: "c" }] }],
    ["any_value", "null", null],
    ["any_value", '"x"', "x"],
    ["any_value", "[1,true]", [1, true]],
    ["list_value", '[1,"a",{}]', [1, "a", {}]],
    ["double_wrapper", "1.5", 1.5],
    ["float_wrapper", "0.5", 0.5],
    ["int64_wrapper", "-5", "-5"],
    ["uint64_wrapper", "5", "5"],
    ["int32_wrapper", "0", 0],
    ["uint32_wrapper", "5", 5],
    ["bool_wrapper", "false", false],
    ["string_wrapper", "a", "a"],
    ["bytes_wrapper", "AAA=", "AAA="],
    // Members of a oneof.
    ["choice_text", "a", "a"],
    ["choice_number", "0", 0],
    ["choice_wrapper", "a", "a"],
    ["choice_color", "red", "COLOR_RED"],
    ["choice_null", "null_value", null],
  ] as const)("%s=%s", (name, text, expected) => {
    const query = `${name}=${encodeURIComponent(text)}`;
    expect(bound({ ...echo, query })).toEqual({ [name]: expected });
    expect(bound({ ...echo, form: query })).toEqual({ [name]: expected });
  });

  const int32 = "must be a whole number from -2147483648 to 2147483647";
  const uint64 = "must be a whole number from 0 to 18446744073709551615";
  const float = "must be a number";
  const time = TIMESTAMP;
  const duration = "must be a duration in seconds such as 1.5s";
  const color = "must be one of red, dark_blue, navy, ultraviolet";
  test.each([
    ...[
      "+1",
      "01",
      "-01",
      "1.5",
      "1.",
      ".5",
      "1e",
      "1e-1",
      "12e-1",
      "1.05e1",
      "1e10",
      "2147483648.0",
      "1e99",
      "1e999",
      "0x1e2",
      " 1e2",
      "1 e2",
      "1e2 ",
      "0x10",
      " 1",
      "1 ",
      "1_000",
      "--1",
      "-",
      "x",
      "2147483648",
      "-2147483649",
      "1".repeat(30),
      "٣",
    ].map((text) => ["int32_value", text, int32] as const),
    ["uint32_value", "-1", "must be a whole number from 0 to 4294967295"],
    ["uint32_value", "4294967296", "must be a whole number from 0 to 4294967295"],
    ["int64_value", "9223372036854775808", "must be a whole number from -9223372036854775808 to 9223372036854775807"],
    ["uint64_value", "18446744073709551616", uint64],
    ["uint64_value", "-1", uint64],
    ...["NaN", "Infinity", "-Infinity", "0x1p3", "1e", ".5", "5.", "+1.5", "1,5", "1e309"].map(
      (text) => ["double_value", text, float] as const,
    ),
    ["float_value", "3.5e38", float],
    ...["1", "0", "yes", "t", "on", " true"].map((text) => ["bool_value", text, "must be true or false"] as const),
    ...["a", "====", "AA=A", "A A=", "AA$="].map((text) => ["bytes_value", text, "must be bytes in base64"] as const),
    ...["pink", "2.0", "7", "COLOR_", "dark blue", "RED "].map((text) => ["color", text, color] as const),
    ...[
      "2026-01-31 12:00:00Z",
      "2026-02-30T12:00:00Z",
      "2026-13-01T12:00:00Z",
      "2026-01-31T24:00:00Z",
      "2026-01-31T23:59:60Z",
      "2026-01-31T12:00:00+24:00",
      "2026-01-31T12:00:00.1234567890Z",
      "0000-01-01T00:00:00Z",
      "0001-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59-00:01",
      "-62135596801",
      "1.5",
      "01",
    ].map((text) => ["time", text, time] as const),
    ...["1.5", "1.5m", "s", "1.s", ".5s", "01s", "+1s", "1e3s", "315576000001s", "315576000000.1s", "1.0000000001s"].map(
      (text) => ["duration", text, duration] as const,
    ),
    ...["a b", "a..b", ",", "1a"].map(
      (text) => ["mask", text, "must be field names separated by commas such as name,tags"] as const,
    ),
    ...["[]", "{", "x", '{"a":1,"a":2}', '{"a":1e999}'].map(
      (text) => ["struct", text, "must be a JSON object without duplicate keys"] as const,
    ),
    ...["x", '{"a":1,"a":2}'].map((text) => ["any_value", text, "must be JSON without duplicate keys"] as const),
    ...["{}", "1", '[{"a":1,"a":2}]'].map((text) => ["list_value", text, "must be a JSON array without duplicate keys"] as const),
    ["int32_wrapper", "x", int32],
  ] as const)("%s=%s is refused", (name, text, mustBe) => {
    const expected = [`${name} ${mustBe}, not ${JSON.stringify(text)}`];
    expect(bound({ ...echo, query: `${name}=${encodeURIComponent(text)}` })).toEqual(expected);
  });
});

describe("a value is read from JSON as its own type or as a string", () => {
  test.each([
    ["int32_value", "5", 5],
    ["int32_value", '"5"', 5],
    ["int32_value", "477.0", 477],
    ["int64_value", "-9007199254740993.00", "-9007199254740993"],
    ["int64_value", "9007199254740993", "9007199254740993"],
    ["uint64_value", '"18446744073709551615"', "18446744073709551615"],
    ["double_value", "1e2", 100],
    ["double_value", '"1.5"', 1.5],
    ["bool_value", "true", true],
    ["bool_value", '"TRUE"', true],
    ["bytes_value", '"_-8"', "/+8="],
    ["color", '"navy"', "COLOR_DARK_BLUE"],
    ["color", "1", "COLOR_RED"],
    ["time", '"2026-01-31T12:00:00Z"', "2026-01-31T12:00:00Z"],
    ["time", "1769860800", "2026-01-31T12:00:00Z"],
    ["time", "1769860800.0", "2026-01-31T12:00:00Z"],
    ["time", '"-62135596800"', "0001-01-01T00:00:00Z"],
    ["time", "0", "1970-01-01T00:00:00Z"],
    ["duration", '"1.5s"', "1.500s"],
    ["mask", '"a,bC"', "a,bC"],
    ["struct", '{"a":{"__proto__":1}}', JSON.parse('{"a":{"__proto__":1}}')],
    ["any_value", "null", null],
    ["any_value", '""', undefined],
    ["any_value", '{"a":[]}', { a: [] }],
    ["list_value", "[null]", [null]],
    ["int64_wrapper", "5", "5"],
    ["string_wrapper", '"a"', "a"],
    ["choice_null", "null", null],
    ["choice_leaf", '{"name":"a"}', { name: "a" }],
    ["choice_leaf", "{}", {}],
    ["choice_wrapper", '"a"', "a"],
    ["nested", '{"nested":{"int32_value":5}}', { nested: { int32_value: 5 } }],
    ["empty", "{}", {}],
    ["leaf_list", '[{"name":"a"},{"inner":{}}]', [{ name: "a" }, { inner: {} }]],
    ["time_list", '["2026-01-31T12:00:00Z"]', ["2026-01-31T12:00:00Z"]],
    ["wrapper_list", "[0,1]", [0, 1]],
    ["any_value_list", '[null,1,"",[]]', [null, 1, "", []]],
    ["struct_list", '[{},{"a":1}]', [{}, { a: 1 }]],
    ["int64_list", '[1,"2"]', ["1", "2"]],
    ["color_list", '["red",2]', ["COLOR_RED", "COLOR_DARK_BLUE"]],
    ["string_map", '{"a":"b","__proto__":"c"}', JSON.parse('{"a":"b","__proto__":"c"}')],
    ["by_int32_map", '{"-5":"a"}', { "-5": "a" }],
    ["by_int64_map", '{"9007199254740993":true}', { "9007199254740993": true }],
    ["by_bool_map", '{"true":1.5}', { true: 1.5 }],
    ["color_map", '{"a":"red"}', { a: "COLOR_RED" }],
    ["leaf_map", '{"a":{"size":0}}', { a: { size: 0 } }],
    ["time_map", '{"a":"2026-01-31T12:00:00Z"}', { a: "2026-01-31T12:00:00Z" }],
    ["bytes_map", '{"a":"AA"}', { a: "AA==" }],
  ] as const)("%s: %s", (name, json, expected) => {
    expect(bound({ ...echo, json: `{"${name}":${json}}` })).toEqual(expected === undefined ? {} : { [name]: expected });
  });

  test.each([
    ["int32_value", "1.5", "int32_value must be a whole number from -2147483648 to 2147483647, not 1.5"],
    ["int32_value", '"1.5"', 'int32_value must be a whole number from -2147483648 to 2147483647, not "1.5"'],
    ["int32_value", "1e10", "int32_value must be a whole number from -2147483648 to 2147483647, not 1e10"],
    ["int32_value", "true", "int32_value must be a whole number from -2147483648 to 2147483647, not true"],
    ["double_value", '"NaN"', 'double_value must be a number, not "NaN"'],
    ["double_value", "1e309", "double_value must be a number, not 1e309"],
    ["bool_value", "1", "bool_value must be true or false, not 1"],
    ["string_value", "1", "string_value must be a string, not 1"],
    ["bytes_value", "[1]", "bytes_value must be bytes in base64, not an array"],
    ["color", "7", "color must be one of red, dark_blue, navy, ultraviolet, not 7"],
    ["time", "1.5", `time ${TIMESTAMP}, not 1.5`],
    ["time", '"2026-01-31"', `time ${TIMESTAMP}, not "2026-01-31": needs a date, a time and an offset, such as Z for UTC`],
    [
      "time",
      '"2026-01-31T12:00:00"',
      `time ${TIMESTAMP}, not "2026-01-31T12:00:00": needs a date, a time and an offset, such as Z for UTC`,
    ],
    [
      "time",
      '"2026-01-31T12:00:00 02:00"',
      `time ${TIMESTAMP}, not "2026-01-31T12:00:00 02:00": in a query, write the plus sign as %2B`,
    ],
    ["time", "1769860800000", `time ${TIMESTAMP}, not 1769860800000: looks like milliseconds; give seconds`],
    ["mask", '["a"]', "mask must be field names separated by commas such as name,tags, not an array"],
    ["struct", '{"a":{"b":1,"b":2}}', "struct must be a JSON object without duplicate keys, not an object"],
    ["struct", '"{}"', 'struct must be a JSON object without duplicate keys, not "{}"'],
    ["choice_null", "5", "choice_null must be one of null_value, not 5"],
    ["leaf_list", '[{"name":"a"},{"nam":"b"}]', 'leaf_list[1].nam is an unknown field; did you mean "leaf_list[1].name"?'],
    ["leaf_list", '[{"size":"x"}]', 'leaf_list[0].size must be a whole number from -2147483648 to 2147483647, not "x"'],
    ["leaf_list", "[1]", "leaf_list[0] must be an object, not 1"],
    ["leaf_list", "[null]", "leaf_list[0] must be an object, not null"],
    ["leaf_map", '{"a":{"nam":1}}', 'leaf_map[a].nam is an unknown field; did you mean "leaf_map[a].name"?'],
    ["string_map", "[]", "string_map must be an object, not an array"],
    ["string_map", '{"a":"b","a":"c"}', "string_map[a] is given twice"],
    ["string_map", '{"a":null}', "string_map[a] must be a string, not null"],
    ["by_int32_map", '{"x":"a"}', "by_int32_map[x] has an invalid key: it must be a whole number from -2147483648 to 2147483647"],
    ["by_bool_map", '{"true":1,"TRUE":2}', "by_bool_map[TRUE] is given twice"],
  ])("%s: %s is refused", (name, json, violation) => {
    expect(bound({ ...echo, json: `{"${name}":${json}}` })).toEqual([violation]);
  });
});

describe("maps, lists and oneofs in a query", () => {
  test.each([
    ["string_map[a]=b&string_map[c]=d", { string_map: { a: "b", c: "d" } }],
    ["stringMap[a.b]=c&string_map[]=d&string_map[e]=", { string_map: { "a.b": "c", "": "d", e: "" } }],
    ["string_map%5Ba%5D=b", { string_map: { a: "b" } }],
    ["string_map[__proto__]=b", { string_map: JSON.parse('{"__proto__":"b"}') }],
    ["nested.int32_map[a]=5", { nested: { int32_map: { a: 5 } } }],
    ["by_int64_map[-5]=TRUE&by_bool_map[false]=1.5", { by_int64_map: { "-5": true }, by_bool_map: { false: 1.5 } }],
    ["time_map[a]=2026-01-31T12:00:00Z", { time_map: { a: "2026-01-31T12:00:00Z" } }],
    ["string_map[a]=b&string_map[a]=c", ["string_map[a] is given twice"]],
    ["int32_map[a]=x", ['int32_map[a] must be a whole number from -2147483648 to 2147483647, not "x"']],
    ["by_int32_map[01]=x", ["by_int32_map[01] has an invalid key: it must be a whole number from -2147483648 to 2147483647"]],
    ["string_map=b", ["string_map is a map: set its entries as string_map[key]=value"]],
    ["string_map.a=b", ["string_map.a is a map: set its entries as string_map[key]=value"]],
    ["leaf_map[a]=b", ["leaf_map contains objects, which can only be sent in a JSON body"]],
    ["leaf_list=b", ["leaf_list contains objects, which can only be sent in a JSON body"]],
    ["leaf_list.name=b", ["leaf_list.name contains objects, which can only be sent in a JSON body"]],
    ["string_list.a=b", ["string_list.a is part of a list: give each value as string_list=value"]],
    ["string_list[0]=b&string_list[1]=a&string_list[7]=c", { string_list: ["b", "a", "c"] }],
    ["string_list[-1]=b", ["string_list[-1] is part of a list: give each value as string_list=value"]],
    ["string_list[a]=b", ["string_list[a] is part of a list: give each value as string_list=value"]],
    ["string_list[123456]=b", ["string_list[123456] is part of a list: give each value as string_list=value"]],
    ["empty=b", ["empty is an object that has no fields"]],
    ["time_list=2026-01-31T12:00:00Z,2026-02-01T12:00:00Z", { time_list: ["2026-01-31T12:00:00Z", "2026-02-01T12:00:00Z"] }],
    ['any_value_list=[1,2]&any_value_list="a,b"', { any_value_list: [[1, 2], "a,b"] }],
    ["string_list=a,,b", { string_list: ["a", "", "b"] }],
    ["bool_list=true,FALSE&color_list=red,1", { bool_list: [true, false], color_list: ["COLOR_RED", "COLOR_RED"] }],
    ["bytes_list=AA,_w", { bytes_list: ["AA==", "/w=="] }],
    ["wrapper_list=1,2", { wrapper_list: [1, 2] }],
    ["choice_text=a&choice_number=1", ["choice_number cannot be given together with choice_text"]],
    ["choice_text=a&choice_leaf.name=b", ["choice_leaf.name cannot be given together with choice_text"]],
    ["choice_text=&choice_number=1", { choice_number: 1 }],
    ["choice_leaf.name=&choice_number=1", { choice_number: 1 }],
    ["choice_leaf.name=a&choice_leaf.size=1", { choice_leaf: { name: "a", size: 1 } }],
    ["nested.nested.color=red", { nested: { nested: { color: "COLOR_RED" } } }],
  ])("%s", (query, expected) => {
    expect(bound({ ...echo, query: query.replaceAll('"', "%22") })).toEqual(expected);
  });

  test("only one member of a oneof may be given, in the query or in the body", () => {
    expect(bound({ ...echo, query: "choice_text=a", json: { choice_number: 1 } })).toEqual([
      "choice_number cannot be given together with choice_text",
    ]);
    expect(bound({ ...echo, json: { choice_text: "a", choice_leaf: { name: "b" } } })).toEqual([
      "choice_leaf cannot be given together with choice_text",
    ]);
    expect(bound({ ...echo, query: "string_map[a]=b", json: { string_map: { c: "d" } } })).toEqual([
      "string_map is given in the query and in the body",
    ]);
  });
});

test("JSON written by protobuf-es is read back, with proto names and with JSON names", () => {
  const message = create(EverythingSchema, {
    doubleValue: 1.5,
    int64Value: 5n,
    bytesValue: new Uint8Array([1, 2]),
    nested: {
      stringList: ["a"],
      leafMap: { a: { name: "b", tagNames: ["c"] } },
      choice: { case: "choiceLeaf", value: { size: 0 } },
    },
    optionalColor: 0,
    time: { seconds: 5n, nanos: 500_000_000 },
    struct: { a: [1, { b: null }] },
    boolWrapper: false,
  });
  const expected = toJson(EverythingSchema, message, { useProtoFieldName: true });
  expect(bound({ ...echo, json: expected })).toEqual(expected);
  expect(bound({ ...echo, json: toJson(EverythingSchema, message) })).toEqual(expected);
});

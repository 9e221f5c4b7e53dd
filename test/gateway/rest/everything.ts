// Random messages of all field types, for tests that compare our JSON with protobuf-es's.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import { type Everything, EverythingSchema } from "../../gen/quintet/testing/v1/everything_pb.js";

type Init = MessageInitShape<typeof EverythingSchema>;

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
const uint64 = fc.bigInt(0n, 2n ** 64n - 1n);
const text = fc.string({ unit: "binary", maxLength: 12 });
const key = fc.oneof(fc.string({ unit: "grapheme", maxLength: 5 }), fc.constant("__proto__"), fc.constant("toJSON"));
const bytes = fc.uint8Array({ maxLength: 9 });
// The enum does not have one of these numbers.
const color = fc.constantFrom(0, 1, 2, -3, 9);
const time = fc.record({
  seconds: fc.bigInt(-62135596800n, 253402300799n),
  nanos: fc.oneof(fc.constant(0), fc.constant(5_000_000), fc.integer({ min: 0, max: 999_999_999 })),
});
const duration = fc.oneof(
  fc.record({ seconds: fc.bigInt(0n, 315576000000n), nanos: fc.integer({ min: 0, max: 999_999_999 }) }),
  fc.record({ seconds: fc.bigInt(-315576000000n, 0n), nanos: fc.integer({ min: -999_999_999, max: 0 }) }),
);
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<never>;
const jsonObject = fc.dictionary(fc.string({ maxLength: 4 }), json, { maxKeys: 3 });
const value = fc.oneof(
  fc.record({ kind: fc.record({ case: fc.constant("stringValue" as const), value: text }) }),
  fc.record({ kind: fc.constant({ case: "nullValue" as const, value: 0 }) }),
  fc.record({ kind: fc.record({ case: fc.constant("numberValue" as const), value: int32 }) }),
  fc.record({ kind: fc.record({ case: fc.constant("boolValue" as const), value: fc.boolean() }) }),
);
const leaf = fc.record({ name: text, size: int32, tagNames: fc.array(text, { maxLength: 2 }) }, { requiredKeys: [] });
const map = <Value>(values: fc.Arbitrary<Value>) => fc.dictionary(key, values, { maxKeys: 3, noNullPrototype: true });
const list = <Value>(values: fc.Arbitrary<Value>) => fc.array(values, { maxLength: 3 });

const choice = fc.oneof(
  fc.record({ case: fc.constant("choiceText" as const), value: text }),
  fc.record({ case: fc.constant("choiceNumber" as const), value: int32 }),
  fc.record({ case: fc.constant("choiceLeaf" as const), value: leaf }),
  fc.record({ case: fc.constant("choiceWrapper" as const), value: fc.record({ value: text }) }),
  fc.record({ case: fc.constant("choiceColor" as const), value: color }),
  fc.constant({ case: "choiceNull" as const, value: 0 }),
);

const fields = {
  doubleValue: fc.double(),
  floatValue: fc.float(),
  int32Value: int32,
  int64Value: int64,
  uint32Value: uint32,
  uint64Value: uint64,
  sint64Value: int64,
  boolValue: fc.boolean(),
  stringValue: text,
  bytesValue: bytes,
  color,
  textInt64Value: int64.map(String),
  optionalDouble: fc.double(),
  optionalInt32: int32,
  optionalInt64: int64,
  optionalBool: fc.boolean(),
  optionalString: text,
  optionalBytes: bytes,
  optionalColor: color,
  int32List: list(int32),
  int64List: list(int64),
  doubleList: list(fc.double()),
  boolList: list(fc.boolean()),
  stringList: list(text),
  bytesList: list(bytes),
  colorList: list(color),
  leafList: list(leaf),
  timeList: list(time),
  wrapperList: list(fc.record({ value: int32 })),
  anyValueList: list(value),
  structList: list(jsonObject),
  stringMap: map(text),
  int32Map: map(int32),
  byInt32Map: fc.dictionary(int32.map(String), text, { maxKeys: 3 }),
  byInt64Map: fc.dictionary(int64.map(String), fc.boolean(), { maxKeys: 3 }),
  byBoolMap: fc.dictionary(fc.constantFrom("true", "false"), fc.double(), { maxKeys: 2 }),
  colorMap: map(color),
  leafMap: map(leaf),
  bytesMap: map(bytes),
  timeMap: map(time),
  choice,
  time,
  duration,
  mask: fc.record({ paths: list(fc.constantFrom("a", "b_c", "d.e_f")) }),
  struct: jsonObject,
  anyValue: value,
  listValue: fc.record({ values: list(value) }),
  doubleWrapper: fc.double(),
  floatWrapper: fc.float(),
  int64Wrapper: int64,
  uint64Wrapper: uint64,
  int32Wrapper: int32,
  uint32Wrapper: uint32,
  boolWrapper: fc.boolean(),
  stringWrapper: text,
  bytesWrapper: bytes,
  empty: fc.constant({}),
  nullValue: fc.constant(0),
};

const flat = fc.record(fields, { requiredKeys: [] });

/** Any message, with another inside. `sparse_list` stays empty, because protobuf-es does not know our option on it. */
export const everything: fc.Arbitrary<Everything> = fc
  .record({ outer: flat, nested: fc.option(flat, { nil: undefined }) })
  .map(({ outer, nested }) => create(EverythingSchema, { ...outer, ...(nested === undefined ? {} : { nested }) } as Init));

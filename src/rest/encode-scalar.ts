// Writes scalars and enums as JSON text.
import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import type { Write } from "./encode.ts";

// What must be escaped in a JSON string, and halves of surrogate pairs, which JSON.stringify escapes as well.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** A string as JSON. Most need no escaping, and asking that first is cheaper than JSON.stringify. */
export function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

const writePlain: Write = (value) => String(value);
const writeNumber: Write = (value) => (Number.isFinite(value) ? String(value) : `"${value}"`);
// 64-bit integers are strings in proto JSON.
const writeLong: Write = (value) => `"${value}"`;
const writeBytes: Write = (value) => `"${(value as Uint8Array).toBase64()}"`;

/** The writer of a scalar type. */
export function scalarWriter(type: ScalarType): Write {
  switch (type) {
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return writeNumber;
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return writeLong;
    case ScalarType.STRING:
      return quote as Write;
    case ScalarType.BYTES:
      return writeBytes;
    default:
      return writePlain;
  }
}

/** The writer of an enum: the value's name, or its number where the enum has no such value. */
export function enumWriter(desc: DescEnum): Write<number> {
  if (desc.typeName === "google.protobuf.NullValue") {
    return () => "null";
  }
  const names = new Map(Object.values(desc.value).map((value) => [value.number, quote(value.jsonName)]));
  return (value) => names.get(value) ?? String(value);
}

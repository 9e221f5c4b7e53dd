// Converts single values for JSON.stringify: bytes, NaN, infinities and the well-known types to their form in proto JSON, 64-bit integers
// to numbers, and enums to their short names.
import { type DescEnum, type DescField, type DescMessage, type Message, ScalarType, toJson } from "@bufbuild/protobuf";
import {
  DurationSchema,
  FieldMaskSchema,
  isWrapperDesc,
  ListValueSchema,
  type Timestamp,
  TimestampSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { isUnspecified, shortName } from "@quintet/transcoding";

/** Converts a value from protobuf-es's form to a plain one. */
export type Convert = (value: unknown) => unknown;

const same: Convert = (value) => value;
const finiteOrText: Convert = (value) => (Number.isFinite(value) ? value : String(value));
const base64: Convert = (value) => {
  const { buffer, byteOffset, byteLength } = value as Uint8Array;
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
};

function ofScalar(type: ScalarType): Convert {
  switch (type) {
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return finiteOrText;
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      // All values are below 2^53: counts, sizes and times.
      return Number;
    case ScalarType.BYTES:
      return base64;
    default:
      return same;
  }
}

// The short name of the value, or its number if the enum does not define it. The unspecified value is left out.
function ofEnum(desc: DescEnum): Convert {
  if (desc.typeName === "google.protobuf.NullValue") {
    return () => null;
  }
  const names = new Map<unknown, string | undefined>(
    Object.values(desc.value).map((value) => [value.number, isUnspecified(value) ? undefined : shortName(value)]),
  );
  return (value) => (names.has(value) ? names.get(value) : value);
}

// Timestamps of whole seconds and milliseconds take a faster path than `toJson`: a list of points has hundreds of them.
function ofTime(value: unknown): unknown {
  const time = value as Timestamp;
  const { nanos } = time;
  const milliseconds = nanos / 1_000_000;
  const isWhole = Number.isInteger(milliseconds) && milliseconds >= 0 && milliseconds < 1000;
  const text = isWhole ? new Date(Number(time.seconds) * 1000 + milliseconds).toISOString() : "";
  // toISOString writes years before 0 and after 9999 with a sign and six digits. Those, and year 0, are outside a Timestamp's
  // range.
  if (text.length !== "2026-01-31T12:00:00.000Z".length || text.startsWith("0000")) {
    return toJson(TimestampSchema, time);
  }
  return nanos === 0 ? `${text.slice(0, 19)}Z` : text;
}

const WELL_KNOWN: ReadonlyMap<string, Convert> = new Map<string, Convert>([
  [TimestampSchema.typeName, ofTime],
  // protobuf-es already represents this type as a plain object.
  ["google.protobuf.Struct", same],
  ...[DurationSchema, FieldMaskSchema, ValueSchema, ListValueSchema].map(
    (schema: DescMessage) => [schema.typeName, (value: unknown) => toJson(schema, value as Message)] as const,
  ),
]);

/**
 * The conversion of a field's value, or of its elements; undefined for a message that has fields. Throws an Error for
 * google.protobuf.Any, which REST does not support.
 */
export function valueConversion(field: DescField): Convert | undefined {
  if (field.enum !== undefined) {
    return ofEnum(field.enum);
  }
  if (field.message === undefined) {
    return ofScalar(field.scalar);
  }
  const desc = field.message;
  const inner = desc.fields[0];
  if (isWrapperDesc(desc) && inner?.fieldKind === "scalar") {
    const convert = ofScalar(inner.scalar);
    // protobuf-es represents a singular wrapper outside a oneof as the bare scalar.
    return field.fieldKind === "message" && field.oneof === undefined
      ? convert
      : (value) => convert((value as { value: unknown }).value);
  }
  if (desc.typeName === "google.protobuf.Any") {
    throw new Error("REST does not support google.protobuf.Any");
  }
  return WELL_KNOWN.get(desc.typeName);
}

/** Whether a conversion returns values unchanged, so that it need not be called. */
export function isSame(convert: Convert): boolean {
  return convert === same;
}

// The readers of single values: scalars, enums, and the well-known types that proto JSON writes as one value. Each reads text
// (path, query, form) and JSON.
import { create, type DescEnum, type DescField, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { echoed } from "./echo.ts";
import { type IsUnixSeconds, oneOfEnum, requirementOf, shortName, valueRules } from "./field-requirement.ts";
import { type Json, JsonNumber } from "./json.ts";
import { INVALID, scalarTextReader, type TextReader } from "./scalar.ts";
import { readRfc3339, timestampHint } from "./timestamp.ts";
import type { ValueReader } from "./value-reader.ts";
import { wellKnownReader } from "./well-known.ts";

/**
 * The reader of a field's values, or of its elements; undefined for a message that has fields. Throws an Error for types that REST
 * does not support.
 */
export function fieldReader(field: DescField, isUnixSeconds: IsUnixSeconds): ValueReader | undefined {
  const reader = readerOf(field, isUnixSeconds);
  return reader && hasSecretSibling(field) ? { ...reader, mayBeSecret: true } : reader;
}

/**
 * Whether the message has a field whose value must not appear in errors or logs. People type secrets into the wrong field, so no value and
 * no unknown name of such a message is repeated.
 */
export const hasSecretSibling = ({ parent }: DescField): boolean =>
  parent.fields.some(({ proto }) => proto.options?.debugRedact === true);

function readerOf(field: DescField, isUnixSeconds: IsUnixSeconds): ValueReader | undefined {
  if (field.message !== undefined) {
    return messageReader(field);
  }
  if (field.enum !== undefined) {
    const acceptsNull = field.enum.typeName === "google.protobuf.NullValue";
    return singleValueReader(enumTextReader(field.enum, field), "number", acceptsNull);
  }
  const reader = scalarReader(field.scalar, "longAsString" in field && field.longAsString);
  if (field.scalar === ScalarType.STRING) {
    // Any text is valid here. protovalidate checks its length and form.
    return reader;
  }
  const exact = { ...reader, mustBe: requirementOf(field, isUnixSeconds) ?? reader.mustBe };
  return isUnixSeconds(field) ? unixSecondsReader(exact) : exact;
}

/** Describes why the reader refused a value. */
export function refusalOf({ mustBe, mayBeSecret, hint }: ValueReader, given: Json): string {
  if (mayBeSecret === true) {
    return `must be ${mustBe}`;
  }
  const text = given instanceof JsonNumber ? given.text : given;
  return `must be ${mustBe}, not ${echoed(given)}${typeof text === "string" ? (hint?.(text) ?? "") : ""}`;
}

function messageReader(field: DescField & { message: object }): ValueReader | undefined {
  const desc = field.message;
  const value = desc.fields[0];
  if (!isWrapperDesc(desc) || value?.fieldKind !== "scalar") {
    return wellKnownReader(desc);
  }
  const scalar = scalarReader(value.scalar, false);
  if (field.fieldKind === "message" && field.oneof === undefined) {
    // protobuf-es holds such a field as the bare scalar.
    return scalar;
  }
  const wrap = (inner: unknown): unknown => (inner === INVALID ? INVALID : create(desc, { value: inner }));
  return { ...scalar, fromText: (text) => wrap(scalar.fromText(text)), fromJson: (json) => wrap(scalar.fromJson(json)) };
}

function scalarReader(type: ScalarType, longAsString: boolean): ValueReader {
  const json = type === ScalarType.BOOL ? "boolean" : type === ScalarType.STRING || type === ScalarType.BYTES ? "string" : "number";
  return singleValueReader(scalarTextReader(type, longAsString), json, false);
}

// Accepts RFC 3339 besides the number. A fraction of a second is dropped.
function unixSecondsReader(number: ValueReader): ValueReader {
  const fromText = (text: string): unknown => {
    const time = readRfc3339(text);
    return number.fromText(time === undefined ? text : String(time.seconds));
  };
  return {
    ...number,
    hint: timestampHint,
    fromText,
    fromJson: (json) => (typeof json === "string" ? fromText(json) : number.fromJson(json)),
  };
}

// A JSON value may have its own type or be a string: proto JSON allows both, and queries and forms only have strings.
function singleValueReader(reader: TextReader, jsonType: "number" | "boolean" | "string", acceptsNull: boolean): ValueReader {
  return {
    mustBe: reader.mustBe,
    splits: true,
    acceptsNull,
    fromText: reader.read,
    fromJson(json) {
      if (typeof json === "string") {
        return reader.read(json);
      }
      if (jsonType === "number" && json instanceof JsonNumber) {
        return reader.read(json.text);
      }
      if (jsonType === "boolean" && typeof json === "boolean") {
        return json;
      }
      return acceptsNull && json === null ? 0 : INVALID;
    },
  };
}

// The reader of an enum: a name in any case, with or without the enum's prefix (`votes` for ORDER_VOTES), or a number that is defined in
// the enum. Its `mustBe` lists the short names, without the "unspecified" one.
function enumTextReader(desc: DescEnum, field: DescField): TextReader {
  const numbers = new Map<string, number>();
  for (const value of desc.values) {
    numbers.set(String(value.number), value.number);
    numbers.set(value.name.toLowerCase(), value.number);
    numbers.set(shortName(value), value.number);
  }
  return {
    mustBe: oneOfEnum(desc, shortName, valueRules(field)),
    read: (text) => numbers.get(text.toLowerCase()) ?? INVALID,
  };
}

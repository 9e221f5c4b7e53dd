// Readers of the well-known types with a special form in proto JSON: times, durations, field masks and free JSON. Wrappers are in
// field-reader.ts, like the scalars that they wrap.
import { create, type DescMessage, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { DurationSchema, FieldMaskSchema, ListValueSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { A_TIMESTAMP } from "./field-requirement.ts";
import { type Json, JsonMembers, JsonNumber, JsonSyntaxError, readJson, wholeText } from "./json.ts";
import { plainJson } from "./plain-json.ts";
import { INVALID } from "./scalar.ts";
import { nanosOf, readTimestamp, timestampHint } from "./timestamp.ts";
import type { ValueReader } from "./value-reader.ts";

// In JSON, Unix seconds may also be a number.
const TIMESTAMP: ValueReader = {
  mustBe: A_TIMESTAMP,
  hint: timestampHint,
  splits: true,
  acceptsNull: false,
  fromText: (text) => readTimestamp(text) ?? INVALID,
  fromJson(json) {
    const text = json instanceof JsonNumber ? wholeText(json.text) : json;
    return typeof text === "string" ? (readTimestamp(text) ?? INVALID) : INVALID;
  },
};

const DURATION = /^(-?)(0|[1-9]\d{0,11})(?:\.(\d{1,9}))?s$/;
// About 10,000 years, the range of google.protobuf.Duration.
const DURATION_SECONDS_MAX = 315576000000;

function readDuration(text: string): unknown {
  const [, minus, whole, fraction] = DURATION.exec(text) ?? [];
  const seconds = Number(whole);
  const nanos = nanosOf(fraction);
  // The range ends at a whole second. If the string is not a duration, NaN fails the comparison too.
  if (!(seconds + (nanos > 0 ? 1 : 0) <= DURATION_SECONDS_MAX)) {
    return INVALID;
  }
  const sign = minus === "-" ? -1 : 1;
  return create(DurationSchema, { seconds: BigInt(sign * seconds), nanos: sign * nanos + 0 });
}

const MASK_PATH = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

function readMask(text: string): unknown {
  const paths = text.split(",");
  if (!paths.every((path) => MASK_PATH.test(path))) {
    return INVALID;
  }
  return create(FieldMaskSchema, { paths: paths.map((path) => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) });
}

const textual = (mustBe: string, read: (text: string) => unknown): ValueReader => ({
  mustBe,
  splits: false,
  acceptsNull: false,
  fromText: read,
  fromJson: (json) => (typeof json === "string" ? read(json) : INVALID),
});

// Free JSON is part of a JSON body as it is; in a query, a form or a path it is text.
function free(mustBe: string, convert: (json: Json) => unknown, acceptsNull = false): ValueReader {
  const fromText = (text: string): unknown => {
    try {
      return convert(readJson(text));
    } catch (error) {
      if (error instanceof JsonSyntaxError) {
        return INVALID;
      }
      throw error;
    }
  };
  return { mustBe, splits: false, acceptsNull, fromText, fromJson: convert };
}

const plainOrInvalid = <Value>(json: Json, use: (plain: JsonValue) => Value): Value | typeof INVALID => {
  const plain = plainJson(json) as JsonValue | undefined;
  return plain === undefined ? INVALID : use(plain);
};

const READERS: ReadonlyMap<string, ValueReader> = new Map([
  ["google.protobuf.Timestamp", TIMESTAMP],
  ["google.protobuf.Duration", { ...textual("a duration in seconds such as 1.5s", readDuration), splits: true }],
  ["google.protobuf.FieldMask", textual("field names separated by commas such as name,tags", readMask)],
  [
    "google.protobuf.Struct",
    // Represented as a plain object.
    free("a JSON object without duplicate keys", (json) =>
      json instanceof JsonMembers ? plainOrInvalid(json, (plain) => plain) : INVALID,
    ),
  ],
  [
    "google.protobuf.Value",
    free("JSON without duplicate keys", (json) => plainOrInvalid(json, (plain) => fromJson(ValueSchema, plain)), true),
  ],
  [
    "google.protobuf.ListValue",
    free("a JSON array without duplicate keys", (json) =>
      Array.isArray(json) ? plainOrInvalid(json, (plain) => fromJson(ListValueSchema, plain)) : INVALID,
    ),
  ],
]);

/**
 * The reader of a well-known type; undefined for any other message. Throws an Error for google.protobuf.Any, which REST does not
 * support.
 */
export function wellKnownReader(desc: DescMessage): ValueReader | undefined {
  if (desc.typeName === "google.protobuf.Any") {
    throw new Error("REST does not support google.protobuf.Any");
  }
  return READERS.get(desc.typeName);
}

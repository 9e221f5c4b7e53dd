// Reads the well-known types that have their own form in proto JSON: times, durations, field masks and free JSON. Wrappers are read in
// field-reader.ts, like the scalars that they wrap.
import { create, type DescMessage, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { DurationSchema, FieldMaskSchema, ListValueSchema, TimestampSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { type Json, JsonMembers, JsonSyntaxError, readJson } from "./json.ts";
import { plainJson } from "./rest-json.ts";
import { INVALID } from "./scalar.ts";
import type { ValueReader } from "./value-reader.ts";

const TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;
// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the range of google.protobuf.Timestamp.
const TIME_SECONDS_MIN = -62135596800;
const TIME_SECONDS_MAX = 253402300799;

const nanosOf = (fraction: string | undefined): number => Number((fraction ?? "").padEnd(9, "0"));

function readTime(text: string): unknown {
  const [, date, time, fraction, sign, hours, minutes] = TIME.exec(text) ?? [];
  const local = `${date}T${time}`;
  const localMs = Date.parse(`${local}Z`);
  // Date.parse reads 30 February as 1 March, and 24:00:00 as the next day.
  if (Number.isNaN(localMs) || !new Date(localMs).toISOString().startsWith(local)) {
    return INVALID;
  }
  const offsetSeconds = sign === undefined ? 0 : (sign === "-" ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
  const seconds = localMs / 1000 - offsetSeconds;
  if (seconds < TIME_SECONDS_MIN || seconds > TIME_SECONDS_MAX) {
    return INVALID;
  }
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos: nanosOf(fraction) });
}

const DURATION = /^(-?)(0|[1-9]\d{0,11})(?:\.(\d{1,9}))?s$/;
// About 10,000 years, the range of google.protobuf.Duration.
const DURATION_SECONDS_MAX = 315576000000;

function readDuration(text: string): unknown {
  const [, minus, whole, fraction] = DURATION.exec(text) ?? [];
  const seconds = Number(whole);
  const nanos = nanosOf(fraction);
  // The range ends at a whole second. Where the text is no duration, NaN fails the comparison too.
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
  takesNull: false,
  fromText: read,
  fromJson: (json) => (typeof json === "string" ? read(json) : INVALID),
});

// Free JSON is itself in a JSON body, and its text in a query, a form or a path.
function free(mustBe: string, convert: (json: Json) => unknown, takesNull = false): ValueReader {
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
  return { mustBe, splits: false, takesNull, fromText, fromJson: convert };
}

const plainOrInvalid = <Value>(json: Json, use: (plain: JsonValue) => Value): Value | typeof INVALID => {
  const plain = plainJson(json) as JsonValue | undefined;
  return plain === undefined ? INVALID : use(plain);
};

const READERS: ReadonlyMap<string, ValueReader> = new Map([
  ["google.protobuf.Timestamp", { ...textual("an RFC 3339 time such as 2026-01-31T12:00:00Z", readTime), splits: true }],
  ["google.protobuf.Duration", { ...textual("a duration in seconds such as 1.5s", readDuration), splits: true }],
  ["google.protobuf.FieldMask", textual("field names separated by commas such as name,tags", readMask)],
  [
    "google.protobuf.Struct",
    // A field of this type is held as a plain object.
    free("a JSON object with each key once", (json) =>
      json instanceof JsonMembers ? plainOrInvalid(json, (plain) => plain) : INVALID,
    ),
  ],
  [
    "google.protobuf.Value",
    free("JSON with each key once", (json) => plainOrInvalid(json, (plain) => fromJson(ValueSchema, plain)), true),
  ],
  [
    "google.protobuf.ListValue",
    free("a JSON array with each key once", (json) =>
      Array.isArray(json) ? plainOrInvalid(json, (plain) => fromJson(ListValueSchema, plain)) : INVALID,
    ),
  ],
]);

/** The reader of a well-known type, or undefined for any other message. Throws an Error for google.protobuf.Any, which REST does not carry. */
export function wellKnownReader(desc: DescMessage): ValueReader | undefined {
  if (desc.typeName === "google.protobuf.Any") {
    throw new Error("google.protobuf.Any is not carried by REST");
  }
  return READERS.get(desc.typeName);
}

// How many bytes the largest valid message of a type can take in any of the formats: binary, JSON with every character escaped, or a form.
// A larger request cannot be valid, so nothing beyond that is read, decompressed or parsed.
import { type DescEnum, type DescField, type DescMessage, getOption, hasOption, isFieldSet, ScalarType } from "@bufbuild/protobuf";
import {
  BytesRulesSchema,
  type FieldRules,
  field as fieldRules,
  Ignore,
  MapRulesSchema,
  RepeatedRulesSchema,
  StringRulesSchema,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/** An allowance for every request: white space, and fields of a newer proto. */
const REQUEST_BYTES_MIN = 4096;
/** The most bytes of a code point: two JSON escapes such as `\ud83d\ude00`, or four escaped bytes such as `%F0` in a form. */
const CODE_POINT_BYTES = 12;
/** A byte of a string as a JSON escape, `\u0001`; in base64 it takes less. */
const ESCAPED_BYTE_BYTES = 6;
/** A number of 64 bits as a string, with all its digits. */
const NUMBER_BYTES = 32;
/** A time or a duration as a string. */
const TIME_BYTES = 64;
/** The characters around a value: quotes, a comma, an indent. */
const VALUE_OVERHEAD_BYTES = 64;

const TIME_TYPES: ReadonlySet<string> = new Set(["google.protobuf.Timestamp", "google.protobuf.Duration"]);

/** The largest size of a request of this type, in bytes. Infinite if its rules leave a string or a list without a limit. */
export function requestBytesMax(desc: DescMessage): number {
  return Math.max(REQUEST_BYTES_MIN, bytesOfMessage(desc, new Set()));
}

function bytesOfMessage(desc: DescMessage, outer: ReadonlySet<DescMessage>): number {
  if (TIME_TYPES.has(desc.typeName)) {
    return TIME_BYTES;
  }
  if (outer.has(desc)) {
    return Number.POSITIVE_INFINITY;
  }
  const within = new Set([...outer, desc]);
  return desc.fields.reduce(
    (bytes, field) => bytes + field.name.length + VALUE_OVERHEAD_BYTES + bytesOfField(field, within),
    VALUE_OVERHEAD_BYTES,
  );
}

function bytesOfField(field: DescField, outer: ReadonlySet<DescMessage>): number {
  const rules = rulesOf(hasOption(field, fieldRules) ? getOption(field, fieldRules) : undefined);
  switch (field.fieldKind) {
    case "list": {
      const list = rules?.type.case === "repeated" ? rules.type.value : undefined;
      const isBounded = list !== undefined && isFieldSet(list, RepeatedRulesSchema.field.maxItems);
      const { scalar, message, enum: values } = field;
      return times(
        isBounded ? list.maxItems : undefined,
        bytesOfValue({ scalar, message, enum: values }, rulesOf(list?.items), outer),
      );
    }
    case "map": {
      const map = rules?.type.case === "map" ? rules.type.value : undefined;
      const isBounded = map !== undefined && isFieldSet(map, MapRulesSchema.field.maxPairs);
      const { scalar, message, enum: values } = field;
      const key = bytesOfScalar(field.mapKey, rulesOf(map?.keys));
      const value = bytesOfValue({ scalar, message, enum: values }, rulesOf(map?.values), outer);
      return times(isBounded ? map.maxPairs : undefined, key + value);
    }
    default: {
      const { scalar, message, enum: values } = field;
      return bytesOfValue({ scalar, message, enum: values }, rules, outer);
    }
  }
}

// Ignored rules are not bounds.
const rulesOf = (rules: FieldRules | undefined): FieldRules | undefined => (rules?.ignore === Ignore.ALWAYS ? undefined : rules);

const times = (count: bigint | undefined, bytes: number): number =>
  count === undefined ? Number.POSITIVE_INFINITY : Number(count) * (VALUE_OVERHEAD_BYTES + bytes);

interface ValueType {
  readonly scalar: ScalarType | undefined;
  readonly message: DescMessage | undefined;
  readonly enum: DescEnum | undefined;
}

function bytesOfValue(
  { scalar, message, enum: values }: ValueType,
  rules: FieldRules | undefined,
  outer: ReadonlySet<DescMessage>,
): number {
  if (message !== undefined) {
    return bytesOfMessage(message, outer);
  }
  return values === undefined
    ? bytesOfScalar(scalar as ScalarType, rules)
    : Math.max(NUMBER_BYTES, ...values.values.map(({ name }) => name.length));
}

function bytesOfScalar(scalar: ScalarType, rules: FieldRules | undefined): number {
  switch (scalar) {
    case ScalarType.STRING:
      return rules?.type.case === "string" ? bytesOfText(rules.type.value) : Number.POSITIVE_INFINITY;
    case ScalarType.BYTES:
      return rules?.type.case === "bytes" && isFieldSet(rules.type.value, BytesRulesSchema.field.maxLen)
        ? Number(rules.type.value.maxLen) * ESCAPED_BYTE_BYTES
        : Number.POSITIVE_INFINITY;
    default:
      return NUMBER_BYTES;
  }
}

const longest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length)) * CODE_POINT_BYTES;

type TextRules = Extract<FieldRules["type"], { case: "string" }>["value"];

// Each rule alone is a bound.
function bytesOfText(rules: TextRules): number {
  const { field } = StringRulesSchema;
  const has = (rule: DescField): boolean => isFieldSet(rules, rule);
  return Math.min(
    ...(has(field.maxLen) ? [Number(rules.maxLen) * CODE_POINT_BYTES] : []),
    ...(has(field.len) ? [Number(rules.len) * CODE_POINT_BYTES] : []),
    ...(has(field.maxBytes) ? [Number(rules.maxBytes) * ESCAPED_BYTE_BYTES] : []),
    ...(has(field.lenBytes) ? [Number(rules.lenBytes) * ESCAPED_BYTE_BYTES] : []),
    ...(has(field.const) ? [longest([rules.const])] : []),
    ...(rules.in.length > 0 ? [longest(rules.in)] : []),
    ...(rules.wellKnown.case === "uuid" ? [longest(["00000000-0000-0000-0000-000000000000"])] : []),
    Number.POSITIVE_INFINITY,
  );
}

// Describes what a field's value must be, from the field's type and its protovalidate rules, so that every error names the bounds
// that really apply.
import { type DescEnum, type DescEnumValue, type DescField, getOption, ScalarType } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type FieldRules, field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/** Whether a field is a number of Unix seconds, which a request may then also give in RFC 3339. */
export type IsUnixSeconds = (field: DescField) => boolean;

/** No field is. */
export const NO_UNIX_SECONDS: IsUnixSeconds = () => false;

/** The range of each integer type that is small enough to name exactly. */
const INTEGER_RANGES: ReadonlyMap<ScalarType, readonly [min: bigint, max: bigint]> = new Map([
  ...[ScalarType.INT32, ScalarType.SINT32, ScalarType.SFIXED32].map((type) => [type, [-(2n ** 31n), 2n ** 31n - 1n]] as const),
  ...[ScalarType.UINT32, ScalarType.FIXED32].map((type) => [type, [0n, 2n ** 32n - 1n]] as const),
  ...[ScalarType.INT64, ScalarType.SINT64, ScalarType.SFIXED64].map((type) => [type, [-(2n ** 63n), 2n ** 63n - 1n]] as const),
  ...[ScalarType.UINT64, ScalarType.FIXED64].map((type) => [type, [0n, 2n ** 64n - 1n]] as const),
]);

// With more names, an error message would be too long to help.
const NAMES_SHOWN_MAX = 40;

/** What a time must be, to follow "must be". */
export const A_TIMESTAMP = "a time in RFC 3339 format such as 2026-01-31T12:00:00Z, or in Unix seconds such as 1769860800";
const UUID = "a UUID such as 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11";

/** The rules of a field's value, or of the elements of a list. */
export function valueRules(field: DescField): FieldRules | undefined {
  const rules = getOption(field, fieldRules);
  return field.fieldKind === "list" ? (rules.type.case === "repeated" ? rules.type.value.items : undefined) : rules;
}

/** Whether an enum's value stands for none. */
export const isUnspecified = ({ number, name }: DescEnumValue): boolean => number === 0 && name.endsWith("UNSPECIFIED");

/** How REST writes an enum's value: in lower case, without its type's prefix, such as `day` for USAGE_DIMENSION_DAY. */
export const shortName = ({ name, parent }: DescEnumValue): string => name.slice(parent.sharedPrefix?.length ?? 0).toLowerCase();

/** How the RPC protocols write an enum's value. */
export const fullName = ({ name }: DescEnumValue): string => name;

/** `one of day, method`: the values of an enum that the rules of a field allow, without the unspecified one. */
export function oneOfEnum(desc: DescEnum, nameOf: (value: DescEnumValue) => string, rules?: FieldRules): string {
  const { in: allowed, notIn } = rules?.type.case === "enum" ? rules.type.value : { in: [] as number[], notIn: [] as number[] };
  const isAllowed = ({ number }: DescEnumValue): boolean =>
    !notIn.includes(number) && (allowed.length === 0 || allowed.includes(number));
  const names = desc.values.filter((value) => !isUnspecified(value) && isAllowed(value)).map(nameOf);
  return `one of ${(names.length > NAMES_SHOWN_MAX ? [...names.slice(0, NAMES_SHOWN_MAX), "…"] : names).join(", ")}`;
}

/**
 * What a value of the field must be, to follow "must be": `a whole number from 1 to 100`. Undefined if the type and its rules have
 * no short description: messages other than times, enums, bytes, and text that is not a choice or a UUID.
 */
export function requirementOf(field: DescField, isUnixSeconds: IsUnixSeconds = NO_UNIX_SECONDS): string | undefined {
  const scalar = field.fieldKind === "map" ? undefined : field.scalar;
  if (scalar === undefined) {
    return field.message?.typeName === TimestampSchema.typeName ? A_TIMESTAMP : undefined;
  }
  const rules = valueRules(field);
  const range = INTEGER_RANGES.get(scalar);
  if (range !== undefined) {
    return isUnixSeconds(field) ? unixSeconds(range, rules) : wholeNumber(range, rules);
  }
  switch (scalar) {
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return decimalNumber(rules);
    case ScalarType.BOOL:
      return "true or false";
    case ScalarType.STRING:
      return rules?.type.case === "string" ? text(rules.type.value) : undefined;
    default:
      return undefined;
  }
}

function wholeNumber([typeMin, typeMax]: readonly [bigint, bigint], rules: FieldRules | undefined): string {
  const { min = typeMin, max = typeMax } = integerBounds(rules);
  return `a whole number from ${min} to ${max}`;
}

function unixSeconds([typeMin, typeMax]: readonly [bigint, bigint], rules: FieldRules | undefined): string {
  const { min = typeMin, max = typeMax } = integerBounds(rules);
  const [first, last] = [min, max].map((seconds) => new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z"));
  return `a time in RFC 3339 format from ${first} to ${last}, or in Unix seconds from ${min} to ${max}`;
}

function integerBounds(rules: FieldRules | undefined): { min?: bigint; max?: bigint } {
  switch (rules?.type.case) {
    case "int32":
    case "uint32":
    case "int64":
    case "uint64": {
      const { greaterThan, lessThan } = rules.type.value;
      return {
        ...(greaterThan.case !== undefined && { min: BigInt(greaterThan.value) + (greaterThan.case === "gt" ? 1n : 0n) }),
        ...(lessThan.case !== undefined && { max: BigInt(lessThan.value) - (lessThan.case === "lt" ? 1n : 0n) }),
      };
    }
    default:
      return {};
  }
}

function decimalNumber(rules: FieldRules | undefined): string {
  if (rules?.type.case !== "double" && rules?.type.case !== "float") {
    return "a number";
  }
  const { greaterThan, lessThan } = rules.type.value;
  if (greaterThan.case === "gte" && lessThan.case === "lte") {
    return `a number from ${greaterThan.value} to ${lessThan.value}`;
  }
  const lower = greaterThan.case && `${greaterThan.case === "gt" ? "greater than" : "at least"} ${greaterThan.value}`;
  const upper = lessThan.case && `${lessThan.case === "lt" ? "less than" : "at most"} ${lessThan.value}`;
  return ["a number", [lower, upper].filter(Boolean).join(" and ")].filter(Boolean).join(" ");
}

function text(rules: (FieldRules["type"] & { case: "string" })["value"]): string | undefined {
  const { in: choices, wellKnown } = rules;
  // As a choice, the empty string means none, so it is not listed.
  const named = choices.filter((choice) => choice !== "");
  if (named.length > 0) {
    return `one of ${named.join(", ")}`;
  }
  return wellKnown.case === "uuid" ? UUID : undefined;
}

/** How long a string in the field must be, to follow "must be": `1 to 64 characters long`. */
export function lengthRequirementOf(field: DescField): string {
  const type = valueRules(field)?.type;
  const { minLen, maxLen } = type?.case === "string" ? type.value : { minLen: 0n, maxLen: 0n };
  if (minLen > 0n && maxLen > 0n) {
    return `${minLen} to ${maxLen} characters long`;
  }
  return maxLen > 0n ? `at most ${counted(maxLen)} long` : `at least ${counted(minLen)} long`;
}

const counted = (count: bigint): string => `${count} ${count === 1n ? "character" : "characters"}`;

// Single values as JSON Schema: the types of scalars and enums, and the bounds that protovalidate sets.
import { type DescEnum, type DescField, getOption, ScalarType } from "@bufbuild/protobuf";
import { type FieldRules, field as fieldRules, type StringRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { isUnspecified, shortName } from "@quintet/transcoding";
import { isUnixSeconds } from "../../src/problem/timestamp.ts";
import type { Schema } from "./json-schema.ts";

/** The format that a string must have, if any. No empty string has one. */
export function formatOf({ wellKnown }: StringRules): string | undefined {
  return wellKnown.case === "uuid" ? "uuid" : undefined;
}

/** An enum, with the names that REST uses. */
export const enumType = ({ values }: DescEnum): Schema => ({
  type: "string",
  enum: values.filter((value) => !isUnspecified(value)).map(shortName),
});

/** A scalar field, or an element of one. Throws an Error for a type that REST does not support. */
export function scalarType(field: DescField & { readonly scalar: ScalarType }): Schema {
  switch (field.scalar) {
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", format: "int32" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      // More than a signed 32-bit integer can hold, which generators assume without a format.
      return { type: "integer", format: "int64", minimum: 0, maximum: 4_294_967_295 };
    case ScalarType.INT64:
      return { type: "integer", format: "int64" };
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return { type: "number", format: "double" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.STRING:
      return { type: "string" };
    default:
      throw new Error(`${ScalarType[field.scalar]} is not supported in REST's messages`);
  }
}

// A field of Unix seconds holds 32 bits, even if its rules have no upper bound.
const unixSeconds = (rules: FieldRules): Schema => ({
  type: "integer",
  format: "int64",
  ...(rules.type.case === "uint32" && { maximum: 4_294_967_295 }),
  ...bounds(rules),
});

/** A time in a request: in Unix seconds, within their bounds, or in RFC 3339. */
export const timestampType = (rules: FieldRules): Schema => ({
  anyOf: [unixSeconds(rules), { type: "string", format: "date-time" }],
});

/** A time in a query, with the type in its proto. Generated clients write a choice of types into a query in ways that no server reads. */
export const plainTimestampType = (field: DescField): Schema =>
  isUnixSeconds(field) ? unixSeconds(getOption(field, fieldRules)) : { type: "string", format: "date-time" };

/** The protovalidate rules of a value or a list. */
export function bounds(rules: FieldRules): Schema {
  const { type } = rules;
  switch (type.case) {
    case "int32":
    case "uint32":
    case "double": {
      const { greaterThan, lessThan } = type.value;
      return {
        ...(greaterThan.case === "gte" && { minimum: greaterThan.value }),
        ...(greaterThan.case === "gt" && { exclusiveMinimum: greaterThan.value }),
        ...(lessThan.case === "lte" && { maximum: lessThan.value }),
        ...(lessThan.case === "lt" && { exclusiveMaximum: lessThan.value }),
      };
    }
    case "string": {
      const { minLen, maxLen, pattern, in: choices } = type.value;
      const format = formatOf(type.value);
      return {
        ...(minLen > 0n && { minLength: Number(minLen) }),
        ...(maxLen > 0n && { maxLength: Number(maxLen) }),
        ...(pattern !== "" && { pattern }),
        // A value that may be empty may be left out, which the field says.
        ...(choices.length > 0 && { enum: choices.filter((choice) => choice !== "") }),
        ...(format !== undefined && { format }),
      };
    }
    case "int64": {
      const { greaterThan, lessThan } = type.value;
      return {
        ...(greaterThan.case === "gte" && { minimum: Number(greaterThan.value) }),
        ...(lessThan.case === "lte" && { maximum: Number(lessThan.value) }),
      };
    }
    case "repeated": {
      const { minItems, maxItems, unique } = type.value;
      return {
        ...(minItems > 0n && { minItems: Number(minItems) }),
        ...(maxItems > 0n && { maxItems: Number(maxItems) }),
        ...(unique && { uniqueItems: true }),
      };
    }
    default:
      return {};
  }
}

/** The schema of a member of a JSON body that counts as left out if it is null or, for a string, empty. */
export function orNothing(schema: Schema): Schema {
  const { $ref, type, anyOf, ...rest } = orEmpty(schema);
  if (Array.isArray(anyOf)) {
    return { ...rest, anyOf: [...anyOf, { type: ["string", "null"], maxLength: 0 }] };
  }
  if ($ref !== undefined) {
    return { ...rest, anyOf: [{ $ref }, { type: "null" }] };
  }
  return { type: [type, "null"], ...rest };
}

/** The schema of a string that counts as left out if it is empty. Other schemas are returned unchanged. */
function orEmpty(schema: Schema): Schema {
  if (schema.type !== "string") {
    return schema;
  }
  const { type, minLength: _, pattern, enum: choices, ...others } = schema;
  return {
    type,
    ...(typeof pattern === "string" && { pattern: new RegExp(pattern).test("") ? pattern : `^$|${pattern}` }),
    // As a pattern: generated code does not compile if an enum has null, or no name for the empty string.
    ...(Array.isArray(choices) && { pattern: `^(${choices.join("|")})?$` }),
    ...others,
  };
}

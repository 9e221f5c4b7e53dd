// Single values as JSON Schema: the types of scalars and enums, and the bounds that protovalidate sets.
import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import type { FieldRules, StringRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { Direction, Schema } from "./schema.ts";

// The formats of protovalidate that JSON Schema calls the same.
const FORMATS = ["uuid", "email"];

/** The format that a text is held to, where it is. No empty text has any. */
export function formatOf({ wellKnown }: StringRules): string | undefined {
  return FORMATS.find((format) => format === wellKnown.case);
}

/** An enum. Answers have the names as they are declared; requests may have them so too, and are shown how errors and comments name them. */
export function enumType({ values, sharedPrefix = "" }: DescEnum, direction: Direction): Schema {
  const names = values.filter(({ number }) => number !== 0).map(({ name }) => name);
  const choices = direction === "output" ? names : names.map((name) => name.slice(sharedPrefix.length).toLowerCase());
  return { type: "string", enum: choices };
}

/** A scalar. Throws an Error for one that REST does not carry. */
export function scalarType(scalar: ScalarType): Schema {
  switch (scalar) {
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", format: "int32" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", minimum: 0, maximum: 4_294_967_295 };
    case ScalarType.INT64:
      // More than a double can hold, so JSON has it as text.
      return { type: "string", format: "int64" };
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return { type: "number", format: "double" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.STRING:
      return { type: "string" };
    default:
      throw new Error(`${ScalarType[scalar]} has no place in a message that reaches REST`);
  }
}

/** What protovalidate holds a value, or a list, to. */
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
        ...(choices.length > 0 && { enum: rules.ignore === 0 ? choices : [...choices, ""] }),
        ...(format !== undefined && { format }),
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

/** The schema of a member of a body that is as good as left out where it is null or, where it is a text, empty. */
export function orNothing(schema: Schema): Schema {
  const { $ref, type, ...rest } = schema;
  if ($ref !== undefined) {
    return { ...rest, anyOf: [{ $ref }, { type: "null" }] };
  }
  const nullable = { type: [type, "null"] };
  if (type !== "string") {
    return { ...nullable, ...rest };
  }
  const { minLength: _, pattern, enum: choices, ...others } = rest;
  return {
    ...nullable,
    ...(typeof pattern === "string" && { pattern: new RegExp(pattern).test("") ? pattern : `^$|${pattern}` }),
    ...(Array.isArray(choices) && { enum: [...new Set([...choices, "", null])] }),
    ...others,
  };
}

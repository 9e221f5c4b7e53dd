// Messages as JSON Schema, as REST reads and writes them: proto names, numbers as numbers, times as ISO 8601, bounds from protovalidate.
import { type DescField, type DescMessage, getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { type FieldRules, field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { default_value, left_out_when_empty } from "../../gen/quintet/options/v1/options_pb.js";
import { commentOf } from "./comments.ts";

/** A JSON Schema. */
export type Schema = Record<string, unknown>;

/** Whether a message is read or written: what must be there differs. */
export type Direction = "input" | "output";

/** Gathers the schemas of messages by name, as they are referred to. */
export class Schemas {
  readonly components = new Map<string, Schema>();

  /** A reference to a message's schema, which is made when it is referred to first. */
  refer(message: DescMessage, direction: Direction): Schema {
    if (message.typeName === "google.protobuf.Timestamp") {
      return { type: "string", format: "date-time" };
    }
    if (!this.components.has(message.name)) {
      this.components.set(message.name, {});
      this.components.set(message.name, this.#message(message, direction));
    }
    return { $ref: `#/components/schemas/${message.name}` };
  }

  #message(message: DescMessage, direction: Direction): Schema {
    const required = message.fields.filter((field) => isRequired(field, direction)).map(({ name }) => name);
    return {
      type: "object",
      description: commentOf(message),
      properties: Object.fromEntries(message.fields.map((field) => [field.name, this.field(field, direction)])),
      ...(required.length > 0 && { required }),
      ...(direction === "input" && { additionalProperties: false }),
    };
  }

  /** A field's schema with its comment, bounds and default. */
  field(field: DescField, direction: Direction): Schema {
    const rules = getOption(field, fieldRules);
    const defaultText = getOption(field, default_value);
    const words = [commentOf(field), ...rules.cel.map(({ message }) => `It ${message}.`)];
    return {
      ...this.#type(field, rules, direction),
      description: words.join(" "),
      ...(defaultText !== "" && { default: JSON.parse(defaultText) }),
    };
  }

  #type(field: DescField, rules: FieldRules, direction: Direction): Schema {
    switch (field.fieldKind) {
      case "scalar":
        return { ...scalarType(field.scalar), ...bounds(rules) };
      case "enum":
        return { type: "string", enum: field.enum.values.filter(({ number }) => number !== 0).map(({ name }) => name) };
      case "message":
        return this.refer(field.message, direction);
      case "list":
        return { type: "array", items: this.#items(field, rules, direction), ...bounds(rules) };
      case "map":
        throw new Error(`${field.toString()}: REST answers have no maps`);
    }
  }

  #items(field: DescField & { fieldKind: "list" }, rules: FieldRules, direction: Direction): Schema {
    const itemRules = rules.type.case === "repeated" ? rules.type.value.items : undefined;
    switch (field.listKind) {
      case "scalar":
        return { ...scalarType(field.scalar), ...(itemRules !== undefined && bounds(itemRules)) };
      case "enum":
        return { type: "string", enum: field.enum.values.filter(({ number }) => number !== 0).map(({ name }) => name) };
      case "message":
        return this.refer(field.message, direction);
    }
  }
}

/** Whether an input must give the field, or an output always has it. */
export function isRequired(field: DescField, direction: Direction): boolean {
  if (direction === "output") {
    const isLeftOut = getOption(field, left_out_when_empty) || field.presence === FeatureSet_FieldPresence.EXPLICIT;
    return !isLeftOut && field.oneof === undefined && field.fieldKind !== "message";
  }
  const rules = getOption(field, fieldRules);
  const { type } = rules;
  const isNonEmptyString =
    type.case === "string" &&
    (type.value.minLen > 0n || type.value.wellKnown.case === "uuid" || (type.value.in.length > 0 && !type.value.in.includes("")));
  const isNonEmptyList = type.case === "repeated" && type.value.minItems > 0n;
  return hasOption(field, fieldRules) && rules.ignore === 0 && (rules.required || isNonEmptyString || isNonEmptyList);
}

function scalarType(scalar: ScalarType): Schema {
  switch (scalar) {
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", format: "int32" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", minimum: 0, maximum: 4_294_967_295 };
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

function bounds(rules: FieldRules): Schema {
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
      const { minLen, maxLen, pattern, in: choices, wellKnown } = type.value;
      return {
        ...(minLen > 0n && { minLength: Number(minLen) }),
        ...(maxLen > 0n && { maxLength: Number(maxLen) }),
        ...(pattern !== "" && { pattern }),
        ...(choices.length > 0 && { enum: rules.ignore === 0 ? choices : [...choices, ""] }),
        ...(wellKnown.case === "uuid" && { format: "uuid" }),
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

// Messages as JSON Schema, as REST reads and writes them: proto names, numbers as numbers, times as ISO 8601, bounds from protovalidate.
import { type DescField, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { type FieldRules, field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { default_value, example_value, left_out_when_empty, text_shape } from "../../gen/quintet/options/v1/options_pb.js";
import { isTimestamp } from "../../src/problem/timestamp.ts";
import { commentOf } from "./comments.ts";
import type { Direction, Schema } from "./json-schema.ts";
import { bounds, enumType, formatOf, orNothing, scalarType, timestampType } from "./values.ts";

/** The name of the message that is a single value in REST: a time. */
const TIMESTAMP = "google.protobuf.Timestamp";

/** Collects the schemas of messages by name as they are referred to. */
export class Schemas {
  readonly components = new Map<string, Schema>();
  readonly #acceptsNull: boolean;

  /** `acceptsNull`: whether a member of an input that need not be given may be null or empty instead. */
  constructor({ acceptsNull }: { readonly acceptsNull: boolean } = { acceptsNull: true }) {
    this.#acceptsNull = acceptsNull;
  }

  /** A reference to a message's schema, which is created at the first reference, without the fields that are `elsewhere`. */
  refer(message: DescMessage, direction: Direction, elsewhere: readonly string[] = []): Schema {
    if (message.typeName === TIMESTAMP) {
      return { type: "string", format: "date-time" };
    }
    if (!this.components.has(message.name)) {
      this.components.set(message.name, {});
      this.components.set(message.name, this.#message(message, direction, elsewhere));
    }
    return { $ref: `#/components/schemas/${message.name}` };
  }

  /** Takes the descriptions of a message's members out of its schema, because they are elsewhere in the document. */
  leaveUndescribed({ name }: DescMessage): void {
    const { properties = {}, ...rest } = this.components.get(name) as { readonly properties?: Readonly<Record<string, Schema>> };
    const members = Object.entries(properties).map(([member, { description: _, ...schema }]) => [member, schema]);
    this.components.set(name, { ...rest, properties: Object.fromEntries(members) });
  }

  #message(message: DescMessage, direction: Direction, elsewhere: readonly string[]): Schema {
    const fields = message.fields.filter(({ name }) => !elsewhere.includes(name));
    const required = fields.filter((field) => isRequired(field, direction)).map(({ name }) => name);
    return {
      type: "object",
      description: commentOf(message),
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#member(field, direction)])),
      ...(required.length > 0 && { required }),
      ...(direction === "input" && { additionalProperties: false }),
    };
  }

  // For an optional field, null and the empty string mean that it is not given.
  #member(field: DescField, direction: Direction): Schema {
    const schema = this.field(field, direction);
    return direction === "input" && this.#acceptsNull && !isRequired(field, direction) ? orNothing(schema) : schema;
  }

  /** A field's schema with its comment, bounds and default. */
  field(field: DescField, direction: Direction): Schema {
    const rules = getOption(field, fieldRules);
    const defaultText = getOption(field, default_value);
    const words = [commentOf(field), ...rules.cel.map(({ message }) => `It ${message}.`)];
    return {
      ...(direction === "input" && isTimestamp(field) ? timestampType(rules) : this.#type(field, rules, direction)),
      description: words.join(" "),
      ...(defaultText !== "" && { default: JSON.parse(defaultText) }),
      ...(hasOption(field, example_value) && { examples: [JSON.parse(getOption(field, example_value))] }),
    };
  }

  #type(field: DescField, rules: FieldRules, direction: Direction): Schema {
    switch (field.fieldKind) {
      case "scalar":
        return { ...scalarType(field), ...bounds(rules), ...shapeOf(field) };
      case "enum":
        return enumType(field.enum);
      case "message":
        return this.refer(field.message, direction);
      case "list":
        return { type: "array", items: this.#items(field, rules, direction), ...bounds(rules) };
      case "map":
        throw new Error(`${field.toString()}: REST responses have no maps`);
    }
  }

  #items(field: DescField & { fieldKind: "list" }, rules: FieldRules, direction: Direction): Schema {
    const itemRules = rules.type.case === "repeated" ? rules.type.value.items : undefined;
    switch (field.listKind) {
      case "scalar":
        return { ...scalarType(field), ...(itemRules !== undefined && bounds(itemRules)), ...shapeOf(field) };
      case "enum":
        return enumType(field.enum);
      case "message":
        return this.refer(field.message, direction);
    }
  }
}

// The pattern that the service checks, which is stricter than the rules.
function shapeOf(field: DescField): Schema {
  const { pattern, minLen } = getOption(field, text_shape);
  return { ...(pattern !== "" && { pattern }), ...(minLen > 0 && { minLength: minLen }) };
}

/** Whether an input must give the field, or an output always has it. */
export function isRequired(field: DescField, direction: Direction): boolean {
  if (direction === "output") {
    const isLeftOut = getOption(field, left_out_when_empty) || field.presence === FeatureSet_FieldPresence.EXPLICIT;
    return !isLeftOut && field.oneof === undefined && field.fieldKind !== "message";
  }
  const rules = getOption(field, fieldRules);
  const { type } = rules;
  // An optional field must follow its rules only if it is given.
  const isHeldEmpty = rules.ignore === 0 && field.presence !== FeatureSet_FieldPresence.EXPLICIT;
  const isNonEmptyString =
    type.case === "string" &&
    (type.value.minLen > 0n || formatOf(type.value) !== undefined || (type.value.in.length > 0 && !type.value.in.includes("")));
  const isNonEmptyList = type.case === "repeated" && type.value.minItems > 0n;
  return (rules.required && rules.ignore === 0) || (isHeldEmpty && (isNonEmptyString || isNonEmptyList));
}

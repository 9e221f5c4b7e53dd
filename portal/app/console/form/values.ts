// The values in the form, and the JSON of the message that they make. Every value is kept as it was typed: the server, not the form,
// says what is wrong with it, so a string that is not a number is sent as it is.
import { type DescMessage, fromJson, type JsonObject, type JsonValue, type Message, type Registry } from "@bufbuild/protobuf";
import type { FormField } from "./fields.ts";

/**
 * A field's path → its texts. A path has dots between the names of messages: `filter.name`. A singular field has one text, a list several.
 * A field that is not given has no entry. A message without any field that is given has an empty string at its own path.
 */
export type FormValues = Readonly<Record<string, readonly string[]>>;

/** A faulty field of the request, by its path in REST: `tokens[1]`. */
export interface FieldFault {
  readonly field: string;
  readonly description: string;
}

const INTEGER = /^-?\d+$/;
const NUMBER = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;

/** The message as JSON with the proto's names. A string that is wrong for its field is kept as it is. */
export function jsonOf(fields: readonly FormField[], values: FormValues, prefix = ""): JsonObject {
  const json: Record<string, JsonValue> = {};
  for (const field of fields) {
    const path = prefix + field.name;
    const texts = values[path];
    if (field.kind === "message") {
      if (isMessageGiven(values, path)) {
        json[field.name] = jsonOf(field.children(), values, `${path}.`);
      }
    } else if (texts !== undefined && texts.length > 0) {
      json[field.name] = field.isList ? listOf(field, texts) : jsonValueOf(field, texts[0] ?? "");
    }
  }
  return json;
}

/** Whether a message field is given: by itself, or by a field inside it. */
const isMessageGiven = (values: FormValues, path: string): boolean =>
  Object.keys(values).some((name) => name === path || name.startsWith(`${path}.`));

// A list whose elements have no input of their own is written as one JSON array. In other lists each line that is not empty is an element.
const listOf = (field: FormField, texts: readonly string[]): JsonValue =>
  field.kind === "json" ? parsed(texts[0] ?? "") : texts.filter((text) => text !== "").map((text) => jsonValueOf(field, text));

function jsonValueOf({ kind }: FormField, text: string): JsonValue {
  switch (kind) {
    case "integer":
      // A 64-bit number that JavaScript would round stays a string, as in protobuf's own JSON.
      return INTEGER.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
    case "number":
      return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : text;
    case "json":
      return parsed(text);
    default:
      return text;
  }
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** The form's values for a message, which is given as JSON with the proto's names or in camel case. Unknown fields are left out. */
export function valuesOf(fields: readonly FormField[], json: JsonObject, prefix = ""): FormValues {
  const values: Record<string, readonly string[]> = {};
  for (const field of fields) {
    const path = prefix + field.name;
    const value = json[field.name] ?? json[field.desc.jsonName];
    if (value === undefined || value === null) {
      continue;
    }
    if (field.kind === "message") {
      const inner = valuesOf(field.children(), value as JsonObject, `${path}.`);
      Object.assign(values, Object.keys(inner).length === 0 ? { [path]: [""] } : inner);
    } else if (field.isList && field.kind !== "json") {
      values[path] = (value as readonly JsonValue[]).map((one) => textOf(field, one));
    } else {
      values[path] = [textOf(field, value)];
    }
  }
  return values;
}

const textOf = ({ kind }: FormField, value: JsonValue): string =>
  kind === "json" || typeof value !== "string" ? JSON.stringify(value) : value;

/** The fields with a number outside their bounds, which the server would refuse. */
export const outOfRange = (fields: readonly FormField[], values: FormValues): readonly FieldFault[] =>
  fields.flatMap(({ name, range, bounds }) => {
    const [least, most] = range ?? [null, null];
    const isOutside = (text: string): boolean => Number(text) < (least ?? Number(text)) || Number(text) > (most ?? Number(text));
    return values[name]?.some(isOutside) === true ? [{ field: name, description: `must be ${bounds}` }] : [];
  });

/** The message, or the fields whose values do not fit their types, such as a string for a number. */
export function messageOf(
  desc: DescMessage,
  fields: readonly FormField[],
  json: JsonObject,
  registry: Registry,
): { readonly message: Message } | { readonly faults: readonly FieldFault[] } {
  try {
    return { message: fromJson(desc, json, { registry }) };
  } catch {
    const faults = fields.flatMap((field) => faultsOf(desc, field, json, registry));
    return { faults: faults.length > 0 ? faults : [{ field: "", description: "sets two fields of the same oneof" }] };
  }
}

function faultsOf(desc: DescMessage, field: FormField, json: JsonObject, registry: Registry): readonly FieldFault[] {
  const value = json[field.name];
  const fits = (one: JsonValue): boolean => {
    try {
      fromJson(desc, { [field.name]: one }, { registry });
      return true;
    } catch {
      return false;
    }
  };
  if (value === undefined || fits(value)) {
    return [];
  }
  const description = `cannot be sent as protobuf, which needs ${REQUIREMENTS[field.kind]}; REST and Connect with JSON can send it`;
  if (!Array.isArray(value)) {
    return [{ field: field.name, description }];
  }
  return value.flatMap((one, index) => (fits([one]) ? [] : [{ field: `${field.name}[${index}]`, description }]));
}

const REQUIREMENTS: Readonly<Record<FormField["kind"], string>> = {
  text: "well-formed text",
  integer: "a whole number that fits the field's type",
  number: "a number",
  boolean: "true or false",
  choice: "one of the field's choices",
  bytes: "base64",
  time: "a time such as 2026-11-21T12:00:00Z",
  duration: "a duration such as 1.5s",
  json: "JSON of the field's type",
  message: "a message",
};

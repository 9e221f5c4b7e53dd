// Turns messages into plain objects for JSON.stringify. They have the form of proto JSON, with these differences: names are in
// snake_case and in proto order, fields without presence are always included, and fields with presence are left out when not set.
// JSON.stringify is fastest for plain objects of the same shape, as made by an object literal. So a function containing a literal
// is generated for each message type, from nothing but the names in its descriptor. docs/decisions.md compares the alternatives.
import { type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { setOwn } from "@quintet/transcoding";
import { left_out_when_empty } from "../../../gen/quintet/options/v1/options_pb.js";
import { type Convert, isSame, valueConversion } from "./rest-value-encoder.ts";

// A field of the plain object, and the message property that it is made from. Without `convert`, the value is used unchanged.
interface PlainField {
  readonly name: string;
  readonly property: string;
  readonly convert: Convert | undefined;
}

const conversions = new WeakMap<DescMessage, Convert>();

/** The conversion of a message type. Throws an Error if REST does not support it or a message in it. */
export function messageConversion(desc: DescMessage): Convert {
  const known = conversions.get(desc);
  if (known !== undefined) {
    return known;
  }
  let convert: Convert | undefined;
  // Stored before its fields are compiled, because a message may contain itself.
  conversions.set(desc, (message) => convert?.(message));
  try {
    convert = fieldsConversion(desc.fields);
  } catch (error) {
    conversions.delete(desc);
    throw error;
  }
  conversions.set(desc, convert);
  return convert;
}

/** The conversion of a message to an object with only these fields, in this order. Throws an Error as messageConversion does. */
export const fieldsConversion = (fields: readonly DescField[]): Convert => generate(fields.map(plainField));

/**
 * The conversion of a message to the plain value of one of its fields; undefined if the field is left out. Throws an Error as
 * messageConversion does.
 */
export function fieldConversion(field: DescField): Convert {
  const { property, convert } = plainField(field);
  return (message) => {
    const value = (message as Record<string, unknown>)[property];
    return convert === undefined ? value : convert(value);
  };
}

function generate(fields: readonly PlainField[]): Convert {
  const properties = fields.map(({ name, property, convert }, index) => {
    const value = `message[${JSON.stringify(property)}]`;
    return `${JSON.stringify(name)}: ${convert === undefined ? value : `convert${index}(${value})`}`;
  });
  const parameters = fields.map((_, index) => `convert${index}`);
  const make = new Function(...parameters, `return (message) => ({ ${properties.join(", ")} });`);
  return make(...fields.map(({ convert }) => convert));
}

function plainField(field: DescField): PlainField {
  const { name, localName } = field;
  const convert = valueConversion(field) ?? messageConversion(field.message as DescMessage);
  if (field.fieldKind === "list") {
    return { name, property: localName, convert: ofList(field, convert) };
  }
  if (field.fieldKind === "map") {
    return { name, property: localName, convert: ofMap(convert) };
  }
  if (field.oneof !== undefined) {
    return { name, property: field.oneof.localName, convert: ofMember(localName, convert) };
  }
  if (isSame(convert)) {
    return { name, property: localName, convert: undefined };
  }
  const implicit = field.presence === FeatureSet_FieldPresence.IMPLICIT;
  return { name, property: localName, convert: implicit ? convert : (value) => (value === undefined ? undefined : convert(value)) };
}

function ofList(field: DescField, convert: Convert): Convert | undefined {
  const leftOutWhenEmpty = getOption(field, left_out_when_empty);
  if (isSame(convert) && !leftOutWhenEmpty) {
    return undefined;
  }
  return (list) => {
    const values = list as readonly unknown[];
    const plain = values.map((value) => convert(value));
    return leftOutWhenEmpty && values.length === 0 ? undefined : field.enum === undefined ? plain : plain.filter(isPresent);
  };
}

const isPresent = (value: unknown): boolean => value !== undefined;

function ofMap(convert: Convert): Convert {
  return (entries) => {
    const plain: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(entries as Record<string, unknown>)) {
      setOwn(plain, key, convert(value));
    }
    return plain;
  };
}

function ofMember(localName: string, convert: Convert): Convert {
  return (oneof) => {
    const chosen = oneof as { readonly case: string | undefined; readonly value: unknown };
    return chosen.case === localName ? convert(chosen.value) : undefined;
  };
}

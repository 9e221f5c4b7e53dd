// Writes messages as JSON: a writer is compiled for each message type, with one closure a field, and joins text, so that a list of a
// hundred stations makes no tree of objects on its way. Names are snake_case. Fields without presence are always written; fields with
// presence are left out when unset. Otherwise the form is proto JSON.
import { type DescField, type DescMessage, getOption, type Message } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { left_out_when_empty } from "../../gen/quintet/options/v1/options_pb.js";
import { enumWriter, quote, scalarWriter } from "./encode-scalar.ts";
import { wellKnownWriter } from "./encode-well-known.ts";

/** Writes one value, as protobuf-es holds it, as JSON text. */
export type Write<Value = unknown> = (value: Value) => string;

type Fields = Readonly<Record<string, unknown>>;
// Writes a field's value, or nothing when the field is left out.
type WriteField = (message: Fields) => string | undefined;

const writers = new WeakMap<DescMessage, Write<Message>>();

/** The writer of a message type. Throws an Error when it, or a message in it, is one that REST does not carry. */
export function messageWriter(desc: DescMessage): Write<Message> {
  const known = writers.get(desc);
  if (known !== undefined) {
    return known;
  }
  const wellKnown = wellKnownWriter(desc);
  if (wellKnown !== undefined) {
    return wellKnown;
  }
  const names: string[] = [];
  const fields: WriteField[] = [];
  const write: Write<Message> = (message) => {
    let text = "{";
    for (let index = 0; index < fields.length; index++) {
      const value = (fields[index] as WriteField)(message as unknown as Fields);
      if (value !== undefined) {
        text += (text.length === 1 ? "" : ",") + names[index] + value;
      }
    }
    return `${text}}`;
  };
  // Kept before its fields are compiled: a message may hold itself.
  writers.set(desc, write);
  try {
    for (const field of desc.fields) {
      names.push(`${quote(field.name)}:`);
      fields.push(fieldWriter(field));
    }
  } catch (error) {
    writers.delete(desc);
    throw error;
  }
  return write;
}

/** The writer of one field of a message: its value, or undefined where the field is left out. Throws an Error like messageWriter. */
export function fieldWriter(field: DescField): WriteField {
  const { localName } = field;
  if (field.fieldKind === "list") {
    return listWriter(field, valueWriter(field));
  }
  if (field.fieldKind === "map") {
    const write = mapWriter(valueWriter(field));
    return (message) => write(message[localName] as Fields);
  }
  const write = valueWriter(field);
  if (field.oneof !== undefined) {
    const oneof = field.oneof.localName;
    return (message) => {
      const chosen = message[oneof] as { readonly case: string | undefined; readonly value: unknown };
      return chosen.case === localName ? write(chosen.value) : undefined;
    };
  }
  if (field.presence === FeatureSet_FieldPresence.IMPLICIT) {
    return (message) => write(message[localName]);
  }
  return (message) => {
    const value = message[localName];
    return value === undefined ? undefined : write(value);
  };
}

function listWriter(field: DescField, write: Write): WriteField {
  const { localName } = field;
  const empty = getOption(field, left_out_when_empty) ? undefined : "[]";
  return (message) => {
    const values = message[localName] as readonly unknown[];
    if (values.length === 0) {
      return empty;
    }
    let text = `[${write(values[0])}`;
    for (let index = 1; index < values.length; index++) {
      text += `,${write(values[index])}`;
    }
    return `${text}]`;
  };
}

function mapWriter(write: Write): Write<Fields> {
  return (entries) => {
    let text = "{";
    for (const key of Object.keys(entries)) {
      text += `${text.length === 1 ? "" : ","}${quote(key)}:${write(entries[key])}`;
    }
    return `${text}}`;
  };
}

// The writer of a field's value, or of the elements of a list or a map.
function valueWriter(field: DescField): Write {
  if (field.enum !== undefined) {
    return enumWriter(field.enum) as Write;
  }
  if (field.message === undefined) {
    return scalarWriter(field.scalar);
  }
  const desc = field.message;
  const inner = desc.fields[0];
  if (isWrapperDesc(desc) && inner?.fieldKind === "scalar") {
    const write = scalarWriter(inner.scalar);
    // protobuf-es holds a single wrapper outside of a oneof as the bare scalar.
    return field.fieldKind === "message" && field.oneof === undefined
      ? write
      : (value) => write((value as { value: unknown }).value);
  }
  if (desc.typeName === "google.protobuf.Struct") {
    // protobuf-es holds a field of this type as a plain object.
    return JSON.stringify;
  }
  return messageWriter(desc) as Write;
}

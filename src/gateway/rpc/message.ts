// Reads and writes messages for the RPC protocols, as binary protobuf or as protobuf's canonical JSON.
import {
  type DescField,
  type DescMessage,
  type DescOneof,
  fromBinary,
  fromJsonString,
  type Message,
  ScalarType,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { Failure } from "../../problem/failure.ts";
import { oneOfEnum, requirementOf } from "../../problem/field-requirement.ts";
import { invalidArgument, type Problem, type Violation } from "../../problem/problem.ts";
import { isUnixSeconds, timestampHint } from "../../problem/timestamp.ts";
import { EncodingCache } from "../encoding-cache.ts";
import { jsonDepthMax, jsonExcess } from "../rest/json-bounds.ts";
import { refuseWrongJson } from "./json-refusal.ts";
import { convertTimestamps } from "./json-timestamps.ts";
import type { Method } from "./method.ts";
import { protoExcess } from "./proto-bounds.ts";

/** How a message is encoded. */
export type Form = "proto" | "json";

const UTF8_DECODER = new TextDecoder("utf-8", { fatal: true });

/** How messages are read from binary protobuf: unknown fields, which a newer client may send, are skipped and not kept. */
export const BINARY_OPTIONS = { readUnknownFields: false };

/** What is wrong with a message's bytes before they are parsed: too many values, or nested too deep. Undefined if nothing is. */
export function excessOf(schema: DescMessage, form: Form, bytes: Uint8Array): Problem | undefined {
  const excess = form === "json" ? jsonExcess(bytes, jsonDepthMax(schema)) : protoExcess(schema, bytes);
  return excess === undefined
    ? undefined
    : { reason: "MALFORMED_REQUEST", message: `The request's ${form === "json" ? "JSON" : "message"} ${excess}.` };
}

/** Parses a method's input message. Throws a Failure: INVALID_ARGUMENT that names the field, or MALFORMED_REQUEST. */
export function parseMessage({ desc, jsonOptions }: Method, form: Form, bytes: Uint8Array): Message {
  const schema = desc.input;
  const excess = excessOf(schema, form, bytes);
  if (excess !== undefined) {
    throw new Failure(excess);
  }
  try {
    return form === "proto"
      ? fromBinary(schema, bytes, BINARY_OPTIONS)
      : fromJsonString(schema, convertTimestamps(schema, UTF8_DECODER.decode(bytes)), jsonOptions);
  } catch (cause) {
    if (cause instanceof Failure) {
      throw cause;
    }
    if (form === "json") {
      refuseWrongJson(schema, bytes, cause);
    }
    // protobuf-es wraps the error of a field. Its text is meant for the author of the client, not for its user, so we write our
    // own.
    const inner = cause instanceof Error ? cause.cause : undefined;
    if (isFieldError(inner)) {
      const field = inner.field();
      const violation = wrongValue(field);
      const hint = field.kind === "field" && isUnixSeconds(field) ? timestampHint(givenText(field, bytes)) : "";
      throw new Failure({ ...invalidArgument([{ ...violation, description: violation.description + hint }]), cause });
    }
    const what = form === "proto" ? "binary protobuf" : "JSON";
    throw new Failure({ reason: "MALFORMED_REQUEST", message: `The request is not a valid ${schema.typeName} in ${what}.`, cause });
  }
}

/** The largest encoded message that is kept. */
const KEPT_MESSAGE_BYTES_MAX = 1024;
/** The most bytes that are kept in each form, for all messages of a thread together. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;

// Services with a cache return the same messages again and again, such as the score of a roll. A message that cannot change is written
// once.
const kept: Readonly<Record<Form, EncodingCache<Uint8Array>>> = {
  proto: new EncodingCache(KEPT_BYTES_MAX, ({ length }) => length),
  json: new EncodingCache(KEPT_BYTES_MAX, ({ length }) => length),
};

/** Writes a method's output message. The bytes must not be changed. */
export function writeMessage(method: Method, form: Form, message: Message): Uint8Array {
  const known = kept[form].get(message);
  if (known !== undefined) {
    return known;
  }
  const bytes = writeNewMessage(method, form, message);
  if (bytes.length <= KEPT_MESSAGE_BYTES_MAX) {
    kept[form].keep(message, bytes);
  }
  return bytes;
}

function writeNewMessage({ desc, jsonOptions }: Method, form: Form, message: Message): Uint8Array {
  if (form === "proto") {
    return toBinary(desc.output, message);
  }
  // `JSON.stringify` is faster without the two arguments that `toJsonString` passes. A short string goes into a shared buffer, which
  // is far cheaper than the new buffer that `TextEncoder` allocates.
  return Buffer.from(JSON.stringify(toJson(desc.output, message, jsonOptions)));
}

// The value of one field in the request's JSON, which is well-formed. Empty if it is neither a number nor a string.
function givenText({ name, jsonName }: DescField, bytes: Uint8Array): string {
  const members = JSON.parse(UTF8_DECODER.decode(bytes)) as Readonly<Record<string, unknown>>;
  const given = members[jsonName] ?? members[name];
  return typeof given === "number" || typeof given === "string" ? String(given) : "";
}

function wrongValue(field: DescField | DescOneof): Violation {
  const value = field.kind === "field" ? valueRequirement(field) : undefined;
  const isList = field.kind === "field" && field.fieldKind === "list";
  if (value === undefined) {
    return { field: field.name, description: "must have the type that its proto declares" };
  }
  return { field: field.name, description: isList ? `must be an array, each element ${value}` : `must be ${value}` };
}

function valueRequirement(field: DescField): string | undefined {
  if (field.fieldKind === "map") {
    return undefined;
  }
  if (field.enum !== undefined) {
    // In the JSON of the RPC protocols, only the full names of an enum's values are valid.
    return oneOfEnum(field.enum, (name) => name);
  }
  return field.scalar === ScalarType.STRING ? "a string" : requirementOf(field);
}

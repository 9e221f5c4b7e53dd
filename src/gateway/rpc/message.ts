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
import { WireType } from "@bufbuild/protobuf/wire";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import {
  A_TIMESTAMP,
  echoedName,
  fullName,
  type Json,
  JsonMembers,
  JsonNumber,
  jsonDepthMax,
  jsonExcess,
  oneOfEnum,
  readJson,
  readRfc3339,
  readTimestamp,
  requirementOf,
  timestampHint,
  VALUES_MAX,
  valueRules,
  wholeText,
  writeJson,
} from "@quintet/transcoding";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument, type Problem, type Violation } from "../../problem/problem.ts";
import { isTimestamp, isUnixSeconds } from "../../problem/timestamp.ts";
import { EncodingCache } from "../encoding-cache.ts";
import { refuseWrongJson } from "./json-refusal.ts";
import type { Method } from "./method.ts";

// Counts the values of a binary protobuf message before it is parsed, in one pass over its bytes. A few hundred bytes of gzip can contain a
// hundred thousand fields, and a parser turns each into an object or a number. https://protobuf.dev/programming-guides/encoding/
const CONTINUATION_BIT = 0x80;
const FIXED_BYTES: Readonly<Partial<Record<ScalarType, number>>> = {
  [ScalarType.DOUBLE]: 8,
  [ScalarType.FIXED64]: 8,
  [ScalarType.SFIXED64]: 8,
  [ScalarType.FLOAT]: 4,
  [ScalarType.FIXED32]: 4,
  [ScalarType.SFIXED32]: 4,
};
const VARINT_BYTES_MAX = 10;

const fieldsByNumber = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsOf(desc: DescMessage): ReadonlyMap<number, DescField> {
  let fields = fieldsByNumber.get(desc);
  if (fields === undefined) {
    fields = new Map(desc.fields.map((field) => [field.number, field]));
    fieldsByNumber.set(desc, fields);
  }
  return fields;
}

/**
 * Which limit a message exceeds, phrased as a predicate to put after the message's name: `has more than 1000 values`. Undefined if it
 * exceeds none. Every field counts, including unknown ones, and so does every element of a packed list. Counting stops at bytes that are
 * not protobuf: the parser reports those.
 */
export function protoExcess(desc: DescMessage, bytes: Uint8Array): string | undefined {
  // Each value has at least one byte.
  const isOver = bytes.length > VALUES_MAX && new ValueCounter(bytes).count(desc, 0, bytes.length) > VALUES_MAX;
  return isOver ? `has more than ${VALUES_MAX} values` : undefined;
}

class ValueCounter {
  readonly #bytes: Uint8Array;
  #at = 0;
  #values = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  // Adds the values between two positions, as a message of this type; stops once over the limit.
  count(desc: DescMessage | undefined, from: number, to: number): number {
    this.#at = from;
    while (this.#at < to && this.#values <= VALUES_MAX) {
      const tag = this.#varint();
      this.#values += 1;
      const end = this.#endOf(tag & 7);
      if (end === undefined || end > to) {
        break;
      }
      if ((tag & 7) === WireType.LengthDelimited) {
        this.#countWithin(desc && fieldsOf(desc).get(tag >>> 3), this.#at, end);
      }
      this.#at = end;
    }
    return this.#values;
  }

  #countWithin(field: DescField | undefined, from: number, to: number): void {
    if (field?.message !== undefined) {
      this.count(field.message, from, to);
    } else if (field?.fieldKind === "list" && field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES) {
      const bytes = field.scalar === undefined ? undefined : FIXED_BYTES[field.scalar];
      this.#values += bytes === undefined ? this.#varintsBetween(from, to) : Math.floor((to - from) / bytes);
    }
  }

  #varintsBetween(from: number, to: number): number {
    let varints = 0;
    for (let at = from; at < to && varints <= VALUES_MAX; at += 1) {
      varints += (this.#bytes[at] as number) < CONTINUATION_BIT ? 1 : 0;
    }
    return varints;
  }

  // The end of the value that begins here; undefined if unknown. For a value with a length, first moves to its first byte.
  #endOf(wireType: number): number | undefined {
    switch (wireType) {
      case WireType.Varint:
        this.#varint();
        return this.#at;
      case WireType.Bit64:
        return this.#at + 8;
      case WireType.LengthDelimited: {
        const length = this.#varint();
        return this.#at + length;
      }
      case WireType.Bit32:
        return this.#at + 4;
      // The contents of a group count like fields next to it.
      case WireType.StartGroup:
      case WireType.EndGroup:
        return this.#at;
      default:
        return undefined;
    }
  }

  // Reads a varint and returns its lowest 32 bits.
  #varint(): number {
    let value = 0;
    for (let index = 0; index < VARINT_BYTES_MAX; index += 1) {
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      if (index < 5) {
        value |= (byte & 0x7f) << (7 * index);
      }
      if (byte < CONTINUATION_BIT) {
        break;
      }
    }
    return value >>> 0;
  }
}

// Times in the JSON of the RPC protocols. Callers give them in RFC 3339 or in Unix seconds, as over REST; protobuf's own mapping has only
// one form for each type. So before protobuf-es reads a message, its times are converted to the form of their fields.
const TYPES_WITH_TIMESTAMPS = new WeakMap<DescMessage, boolean>();

/**
 * The message's JSON with each time in the form that its field has in protobuf's JSON. Throws a JsonSyntaxError if it is not JSON, and a
 * Failure INVALID_ARGUMENT if a Timestamp is not a valid time: protobuf-es would not name the field, and would read 30 February as 2 March.
 */
function convertTimestamps(desc: DescMessage, json: string): string {
  let hasTimestamps = TYPES_WITH_TIMESTAMPS.get(desc);
  if (hasTimestamps === undefined) {
    hasTimestamps = containsTimestamps(desc, new Set());
    TYPES_WITH_TIMESTAMPS.set(desc, hasTimestamps);
  }
  return hasTimestamps ? writeJson(messageOf(desc, "", readJson(json))) : json;
}

// Google's own messages, such as Struct, have special JSON forms.
const isOrdinaryMessage = ({ message }: DescField): boolean =>
  message !== undefined && !message.typeName.startsWith("google.protobuf.");

function containsTimestamps(desc: DescMessage, seen: Set<DescMessage>): boolean {
  seen.add(desc);
  return desc.fields.some(
    (field) =>
      isTimestamp(field) ||
      (isOrdinaryMessage(field) &&
        field.message !== undefined &&
        !seen.has(field.message) &&
        containsTimestamps(field.message, seen)),
  );
}

function messageOf(desc: DescMessage, prefix: string, json: Json): Json {
  if (!(json instanceof JsonMembers)) {
    return json;
  }
  const fields = new Map(desc.fields.flatMap((field) => [field.name, field.jsonName].map((name) => [name, field])));
  return new JsonMembers(
    json.members.map(([key, value]) => {
      const field = fields.get(key);
      return [key, field === undefined ? value : fieldOf(field, prefix + field.name, value)];
    }),
  );
}

function fieldOf(field: DescField, path: string, json: Json): Json {
  if (field.fieldKind === "list" && Array.isArray(json)) {
    return json.map((element, index) => elementOf(field, `${path}[${index}]`, element));
  }
  if (field.fieldKind === "map" && json instanceof JsonMembers) {
    return new JsonMembers(json.members.map(([key, value]) => [key, elementOf(field, `${path}[${echoedName(key)}]`, value)]));
  }
  return elementOf(field, path, json);
}

function elementOf(field: DescField, path: string, json: Json): Json {
  if (isUnixSeconds(field)) {
    const time = typeof json === "string" ? readRfc3339(json) : undefined;
    return time === undefined ? json : new JsonNumber(String(time.seconds));
  }
  if (isTimestamp(field)) {
    return json === null ? null : timestampOf(path, json instanceof JsonNumber ? wholeText(json.text) : json);
  }
  return isOrdinaryMessage(field) && field.message !== undefined ? messageOf(field.message, `${path}.`, json) : json;
}

function timestampOf(path: string, given: Json): string {
  const text = typeof given === "string" ? given : "";
  const time = readTimestamp(text);
  if (time === undefined) {
    throw new Failure(invalidArgument([{ field: path, description: `must be ${A_TIMESTAMP}${timestampHint(text)}` }]));
  }
  return toJson(TimestampSchema, time);
}

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
    return oneOfEnum(field.enum, fullName, valueRules(field));
  }
  return field.scalar === ScalarType.STRING ? "a string" : requirementOf(field, isUnixSeconds);
}

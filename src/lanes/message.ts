// A message in bytes, as binary protobuf or as its canonical JSON, for the RPC protocols.
import { fromBinary, fromJsonString, type Message, toBinary, toJsonString } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { Failure, invalidArgument } from "../problem/problem.ts";
import type { Method } from "./method.ts";

/** How a message is written down. */
export type Form = "proto" | "json";

const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/** Parses a method's input message. Throws a Failure. */
export function parseMessage({ desc, jsonOptions }: Method, form: Form, bytes: Uint8Array): Message {
  const schema = desc.input;
  try {
    return form === "proto" ? fromBinary(schema, bytes) : fromJsonString(schema, decoder.decode(bytes), jsonOptions);
  } catch (cause) {
    // protobuf-es wraps what a field's value was refused for; its text holds the caller's own value, so only the field is named.
    const inner = cause instanceof Error ? cause.cause : undefined;
    if (isFieldError(inner)) {
      const violation = { field: inner.field().name, description: "must have the type that the contract gives it" };
      throw new Failure({ ...invalidArgument([violation]), cause });
    }
    const what = form === "proto" ? "binary protobuf" : "JSON";
    throw new Failure({ reason: "MALFORMED_REQUEST", message: `The request is not the ${what} of a ${schema.typeName}.`, cause });
  }
}

/** Writes a method's output message. */
export function writeMessage({ desc, jsonOptions }: Method, form: Form, message: Message): Uint8Array {
  return form === "proto" ? toBinary(desc.output, message) : encoder.encode(toJsonString(desc.output, message, jsonOptions));
}

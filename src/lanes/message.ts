// A message in bytes, as binary protobuf or as its canonical JSON, for the RPC protocols.
import { type DescMessage, fromBinary, fromJsonString, type Message, toBinary, toJsonString } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { Failure, invalidArgument } from "../problem/problem.ts";

/** How a message is written down. */
export type Form = "proto" | "json";

const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

/** Parses an input message. JSON fields that are not known are passed over, as Connect and gRPC do. Throws a Failure. */
export function parseMessage(schema: DescMessage, form: Form, bytes: Uint8Array): Message {
  try {
    if (form === "proto") {
      return fromBinary(schema, bytes);
    }
    return bytes.byteLength === 0
      ? fromJsonString(schema, "{}")
      : fromJsonString(schema, decoder.decode(bytes), { ignoreUnknownFields: true });
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

/** Writes an output message. */
export function writeMessage(schema: DescMessage, form: Form, message: Message): Uint8Array {
  return form === "proto" ? toBinary(schema, message) : encoder.encode(toJsonString(schema, message));
}

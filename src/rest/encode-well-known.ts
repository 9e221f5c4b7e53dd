// Writes the well-known types that have a form of their own in proto JSON. The wrappers and Struct are in encode.ts, since protobuf-es
// holds them differently in a field.
import { type DescMessage, type Message, toJsonString } from "@bufbuild/protobuf";
import {
  DurationSchema,
  FieldMaskSchema,
  ListValueSchema,
  type Timestamp,
  TimestampSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import type { Write } from "./encode.ts";

// Times are the one well-known type that stands in lists of hundreds, most of them whole seconds.
function writeTime(time: Timestamp): string {
  if (time.nanos !== 0) {
    return toJsonString(TimestampSchema, time);
  }
  const text = new Date(Number(time.seconds) * 1000).toISOString();
  // A year beyond 9999 is written with a sign and six digits: proto JSON has none.
  return text.length === 24 ? `"${text.slice(0, 19)}Z"` : toJsonString(TimestampSchema, time);
}

const WRITERS: ReadonlyMap<string, Write<Message>> = new Map<string, Write<Message>>([
  [TimestampSchema.typeName, writeTime as Write<Message>],
  ...[DurationSchema, FieldMaskSchema, ValueSchema, ListValueSchema].map(
    (schema: DescMessage) => [schema.typeName, (message: Message) => toJsonString(schema, message)] as const,
  ),
]);

/** The writer of a well-known type, or undefined for any other message. Throws an Error for google.protobuf.Any, which REST does not carry. */
export function wellKnownWriter(desc: DescMessage): Write<Message> | undefined {
  if (desc.typeName === "google.protobuf.Any") {
    throw new Error("google.protobuf.Any is not carried by REST");
  }
  return WRITERS.get(desc.typeName);
}

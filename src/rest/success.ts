// Writes the envelope of an answer that succeeded, in its fixed order: data, meta, status, message, success.
import type { DescMessage, Message } from "@bufbuild/protobuf";
import { fieldWriter, messageWriter, type Write } from "./encode.ts";
import { quote } from "./encode-scalar.ts";
import type { Rule } from "./rule.ts";

/** What an answer says of itself. */
export interface Meta {
  /** When it was made, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The request's id, as sent in `x-request-id`. */
  readonly requestId: string;
}

/** Writes the body of an answer that succeeded. */
export type WriteSuccess = (output: Message, meta: Meta) => string;

/** Compiles the writer of a rule's answers. Throws an Error when the rule does not fit the output message. */
export function compileSuccess({
  rpc,
  responseBody,
  successMessage,
}: Pick<Rule, "rpc" | "responseBody" | "successMessage">): WriteSuccess {
  const writeData = responseBody === "" ? messageWriter(rpc.output) : partWriter(rpc.output, responseBody);
  const tail = `,"status":"ok","message":${quote(successMessage)},"success":true}`;
  return (output, meta) => `{"data":${writeData(output)},"meta":${writeMeta(meta)}${tail}`;
}

/** `{"timestamp":"2026-01-31T12:00:00.000Z","request_id":"…"}` */
export function writeMeta({ nowMs, requestId }: Meta): string {
  return `{"timestamp":"${new Date(nowMs).toISOString()}","request_id":${quote(requestId)}}`;
}

function partWriter(desc: DescMessage, name: string): Write<Message> {
  const field = desc.fields.find((candidate) => candidate.name === name);
  if (field === undefined) {
    throw new Error(`${desc.typeName} has no field ${name}`);
  }
  const write = fieldWriter(field);
  return (output) => write(output as unknown as Readonly<Record<string, unknown>>) ?? "null";
}

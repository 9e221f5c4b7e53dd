// Writes the envelope of a success, in fixed order: data, meta, status, message, success.
import { type DescMessage, getOption, type Message } from "@bufbuild/protobuf";
import { type SizedText, sized } from "@quintet/http";
import type { Rule } from "@quintet/transcoding";
import { success_message } from "../../../gen/quintet/options/v1/options_pb.js";
import { fieldConversion } from "./rest-encoder.ts";
import { compileText } from "./rest-text.ts";
import type { Convert } from "./rest-value-encoder.ts";

/** What an envelope contains about the response itself. */
export interface Meta {
  /** When it was created, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The request's id, as sent in `x-request-id`: a UUID, which needs no escaping. */
  readonly requestId: string;
}

/** Writes the body of a successful response. */
export type WriteSuccess = (output: Message, meta: Meta) => SizedText;

/**
 * Compiles the writer of the data alone, for the messages of a stream: a single line of JSON. Throws an Error as `compileSuccess`
 * does.
 */
export function compileData({ rpc, responseBody }: Pick<Rule, "rpc" | "responseBody">): (output: Message) => SizedText {
  if (responseBody === "") {
    return compileText(rpc.output);
  }
  const convert = conversionOf(rpc.output, responseBody);
  return (output) => sized(JSON.stringify(convert(output) ?? null));
}

/** Compiles the writer of a rule's envelope. Throws an Error if the rule does not match the output message. */
export function compileSuccess({ rpc, responseBody }: Pick<Rule, "rpc" | "responseBody">): WriteSuccess {
  const successMessage = getOption(rpc, success_message);
  if (successMessage === "") {
    throw new Error("the method has no (quintet.options.v1.success_message)");
  }
  const writeData = compileData({ rpc, responseBody });
  const tail = `,"status":"ok","message":${JSON.stringify(successMessage)},"success":true}`;
  const tailBytes = Buffer.byteLength(tail);
  return (output, meta) => {
    const data = writeData(output);
    const start = '{"data":';
    const middle = `,"meta":${writeMeta(meta)}`;
    return { text: start + data.text + middle + tail, bytes: start.length + data.bytes + middle.length + tailBytes };
  };
}

/** Writes the body of a dry run, without data. */
export const writeEmptySuccess = (message: string, meta: Meta): string =>
  `{"data":null,"meta":${writeMeta(meta)},"status":"ok","message":${JSON.stringify(message)},"success":true}`;

// The last timestamp is kept, because under load dozens of responses are made in the same millisecond.
let lastMs = 0;
let lastTimestamp = new Date(lastMs).toISOString();

function timestampOf(nowMs: number): string {
  if (nowMs !== lastMs) {
    lastMs = nowMs;
    lastTimestamp = new Date(nowMs).toISOString();
  }
  return lastTimestamp;
}

/** `{"timestamp":"2026-01-31T12:00:00.000Z","request_id":"…"}` */
export function writeMeta({ nowMs, requestId }: Meta): string {
  return `{"timestamp":"${timestampOf(nowMs)}","request_id":"${requestId}"}`;
}

function conversionOf(desc: DescMessage, name: string): Convert {
  const field = desc.fields.find((candidate) => candidate.name === name);
  if (field === undefined) {
    throw new Error(`${desc.typeName} has no field ${name}`);
  }
  return fieldConversion(field);
}

// Reads the message of a request to the MCP endpoint: one JSON-RPC message. The SDK reads all of it except a tool's arguments. Those are
// read as REST reads a body: duplicate names are found, and numbers keep their text.
import { malformed } from "../../problem/failure.ts";
import { type Json, JsonMembers, JsonSyntaxError, readJson, writeJson } from "../rest/json.ts";
import { jsonExcess } from "../rest/json-bounds.ts";

/** A message, parsed twice. */
export interface Message {
  /** As JSON.parse returns it. */
  readonly parsed: unknown;
  /** The arguments of a tool call, a JSON object in UTF-8; an empty one if there are none. Throws a Failure. */
  argumentsOf(): Uint8Array;
}

// Room for `params` and its members around the arguments, which have their own limit, and for `_meta`.
const DEPTH_MAX = 24;

const UTF8_DECODER = new TextDecoder("utf-8", { fatal: true });

/** Parses a body. Throws a Failure MALFORMED_REQUEST if it is not one message. */
export function readMessage(body: Uint8Array): Message {
  const excess = jsonExcess(body, DEPTH_MAX);
  if (excess !== undefined) {
    throw malformed(`The message ${excess}.`);
  }
  const text = textOf(body);
  const json = jsonOf(text);
  if (Array.isArray(json)) {
    throw malformed("Send one JSON-RPC message in each request; batches are not accepted.");
  }
  const parsed: unknown = JSON.parse(text);
  checkEnvelope(parsed);
  return {
    parsed: withoutNulls(parsed),
    argumentsOf() {
      const args = memberOf(memberOf(json, "params"), "arguments");
      return Buffer.from(args === undefined || args === null ? "{}" : writeJson(args));
    },
  };
}

/** A JSON-RPC message, as far as it has been checked. */
type Envelope = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Envelope => typeof value === "object" && value !== null && !Array.isArray(value);

// The SDK would say only that it is not a valid message. https://www.jsonrpc.org/specification#request_object
function checkEnvelope(message: unknown): asserts message is Envelope {
  if (!isObject(message)) {
    throw malformed("A message must be a JSON object.");
  }
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0") {
    throw malformed('A message must have jsonrpc, with the value "2.0".');
  }
  if ("id" in message && typeof id !== "string" && !Number.isInteger(id)) {
    throw malformed("The id of a message must be a string or a whole number; leave it out of a notification.");
  }
  if ("method" in message && typeof method !== "string") {
    throw malformed('The method of a message must be a string, such as "tools/list".');
  }
  if (params !== undefined && params !== null && !isObject(params)) {
    throw malformed("The params of a message must be an object.");
  }
  if (isObject(params) && params._meta !== undefined && params._meta !== null && !isObject(params._meta)) {
    throw malformed("params._meta must be an object.");
  }
}

// Clients write null for what they leave out.
function withoutNulls(message: Envelope): Envelope {
  const { params, ...rest } = message;
  if (!isObject(params)) {
    return params === null ? rest : message;
  }
  return { ...rest, params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) };
}

function textOf(body: Uint8Array): string {
  try {
    return UTF8_DECODER.decode(body);
  } catch {
    throw malformed("The message is not valid UTF-8.");
  }
}

function jsonOf(text: string): Json {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      throw malformed(`The message is not valid JSON: ${error.message}.`);
    }
    throw error;
  }
}

function memberOf(json: Json | undefined, name: string): Json | undefined {
  const found = json instanceof JsonMembers ? json.members.filter(([key]) => key === name) : [];
  if (found.length > 1) {
    throw malformed(`The message gives ${name} twice.`);
  }
  return found[0]?.[1];
}

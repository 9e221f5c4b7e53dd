// Ways to call any unary method of any service: real clients, one for each protocol and form. The method's input is given as JSON.
import {
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { createConnectTransport as createNodeTransport } from "@connectrpc/connect-node";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { rulesOf, shortName } from "@quintet/transcoding";
import { messageConversion } from "../../../src/gateway/rest/rest-encoder.ts";
import { rpcPath } from "../../../src/gateway/rpc/rpc-path.ts";
import { seenError } from "../matrix/details.ts";
import { callByGrpc } from "../matrix/grpc-call.ts";
import { ownHeaders, type Seen } from "../matrix/seen.ts";

/** One call. */
export interface Call {
  readonly origin: string;
  readonly method: DescMethodUnary;
  /** The input, with the proto's field names. */
  readonly input: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** One way of calling. An RPC's output is shown as JSON with the proto's names, including fields with default values. */
export interface Client {
  readonly name: string;
  readonly protocol: "rest" | "connect" | "grpc-web" | "grpc";
  call(call: Call): Promise<Seen>;
}

// The cases are written in REST's form, with the short names of enums.
function withFullNames(desc: DescMessage, input: JsonObject): JsonObject {
  const entries = Object.entries(input).map(([name, value]): [string, JsonValue] => {
    const field = desc.fields.find((each) => each.name === name || each.jsonName === name);
    const convert = (one: JsonValue): JsonValue => {
      if (field?.enum !== undefined && typeof one === "string") {
        return field.enum.values.find((each) => shortName(each) === one)?.name ?? one;
      }
      const isMessage = field?.message !== undefined && !field.message.typeName.startsWith("google.");
      return isMessage && typeof one === "object" && one !== null && !Array.isArray(one) ? withFullNames(field.message, one) : one;
    };
    return [name, Array.isArray(value) ? value.map(convert) : convert(value)];
  });
  return Object.fromEntries(entries);
}

const inputOf = ({ method, input }: Call) => fromJson(method.input, withFullNames(method.input, input));
const outputJson = ({ method }: Call, output: Message): unknown =>
  JSON.parse(JSON.stringify(messageConversion(method.output)(output)));

// The path, query and body of a call by its method's first REST rule.
function restRequest({ method, input }: Pick<Call, "method" | "input">): {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
} {
  const [rule] = rulesOf(method);
  if (rule === undefined) {
    throw new Error(`${method.name} has no REST rule`);
  }
  const rest = { ...input };
  const path = rule.template.source.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = String(rest[field]);
    delete rest[field];
    return encodeURIComponent(value);
  });
  if (rule.body === "*") {
    return { method: rule.httpMethod, path, body: JSON.stringify(rest) };
  }
  const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  return { method: rule.httpMethod, path: query.size === 0 ? path : `${path}?${query}` };
}

/** REST by fetch: JSON in the body, or the input in the query. */
export const rest: Client = {
  name: "REST",
  protocol: "rest",
  async call(call) {
    const { method, path, body } = restRequest(call);
    const sent = body === undefined ? {} : { body };
    const headers = { ...call.headers, ...(body !== undefined && { "content-type": "application/json" }) };
    const response = await fetch(`${call.origin}${path}`, { method, headers, ...sent });
    const envelope = (await response.json()) as { success: boolean; error?: { code: string } };
    const code = envelope.success ? "ok" : String(envelope.error?.code);
    return { status: response.status, code, headers: ownHeaders(response.headers), body: envelope };
  },
};

async function callThrough(transport: Transport, call: Call): Promise<Seen> {
  try {
    const response = await transport.unary(call.method, undefined, undefined, call.headers, inputOf(call));
    const body = outputJson(call, response.message);
    return { code: "ok", headers: ownHeaders(response.header), body, trailers: ownHeaders(response.trailer) };
  } catch (thrown) {
    return seenError(thrown);
  }
}

// Connect, JSON over POST, by a browser's client.
const connectJson: Client = {
  name: "Connect JSON",
  protocol: "connect",
  call: (call) => callThrough(createConnectTransport({ baseUrl: call.origin }), call),
};

// Connect, binary over HTTP/2, by another client.
const connectBinary: Client = {
  name: "Connect binary",
  protocol: "connect",
  call: (call) =>
    callThrough(
      createNodeTransport({ baseUrl: call.origin, httpVersion: "2", useBinaryFormat: true, idleConnectionTimeoutMs: 50 }),
      call,
    ),
};

// gRPC-Web, binary.
const grpcWeb: Client = {
  name: "gRPC-Web",
  protocol: "grpc-web",
  call: (call) => callThrough(createGrpcWebTransport({ baseUrl: call.origin }), call),
};

/** gRPC, binary, by a client that shares no code with the server. */
export const grpc: Client = {
  name: "gRPC",
  protocol: "grpc",
  call: (call) =>
    callByGrpc({
      host: new URL(call.origin).host,
      path: rpcPath(call.method),
      headers: call.headers,
      input: toBinary(call.method.input, inputOf(call)),
      read: (bytes) => outputJson(call, fromBinary(call.method.output, bytes)),
    }),
};

/** All of them. */
export const CLIENTS: readonly Client[] = [rest, connectJson, connectBinary, grpcWeb, grpc];

// Ways to call any unary method of any service: with real clients, one for each protocol and form. What is sent is the method's input as JSON.
import { type DescMethodUnary, fromBinary, fromJson, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import { type Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport as createNodeTransport } from "@connectrpc/connect-node";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { credentials, Client as GrpcClient, Metadata, type ServiceError } from "@grpc/grpc-js";
import { CODE_NAMES } from "../../src/problem/code.ts";
import { rulesOf } from "../../src/rest/rule.ts";
import { detailsOfConnectError, detailsOfStatus } from "../matrix/details.ts";
import { ownHeaders, type Seen } from "../matrix/seen.ts";

/** One call. */
export interface Call {
  readonly origin: string;
  readonly method: DescMethodUnary;
  /** The input, with the fields' names in the proto. */
  readonly input: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** One way of calling. An RPC's output is seen as JSON with the proto's names, and with the fields that have their default values. */
export interface Client {
  readonly name: string;
  readonly protocol: "rest" | "connect" | "grpc-web" | "grpc";
  call(call: Call): Promise<Seen>;
}

const inputOf = ({ method, input }: Call) => fromJson(method.input, input);
const outputJson = ({ method }: Call, output: Parameters<typeof toJson>[1]): unknown =>
  toJson(method.output, output, { useProtoFieldName: true, alwaysEmitImplicit: true });

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
    const answer = await transport.unary(call.method, undefined, undefined, call.headers, inputOf(call));
    const body = outputJson(call, answer.message);
    return { code: "ok", headers: ownHeaders(answer.header), body, trailers: ownHeaders(answer.trailer) };
  } catch (thrown) {
    if (!(thrown instanceof ConnectError)) {
      throw thrown;
    }
    const { code, rawMessage, metadata } = thrown;
    const details = detailsOfConnectError(thrown);
    return { code: CODE_NAMES[code], headers: ownHeaders(metadata), body: undefined, message: rawMessage, details };
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

const textsOf = (metadata: Metadata | undefined): [string, string][] =>
  Object.entries(metadata?.getMap() ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === "string");

function callWith(client: GrpcClient, call: Call): Promise<Seen> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(call.headers)) {
    metadata.set(name, value);
  }
  const { method } = call;
  const { promise, resolve } = Promise.withResolvers<Seen>();
  let headers: Metadata | undefined;
  let outcome: { readonly error: ServiceError } | { readonly body: unknown } | undefined;
  const sent = client.makeUnaryRequest(
    `/${method.parent.typeName}/${method.name}`,
    (input: ReturnType<typeof inputOf>) => Buffer.from(toBinary(method.input, input)),
    (bytes: Buffer) => fromBinary(method.output, bytes),
    inputOf(call),
    metadata,
    (error, output) => {
      outcome = error === null && output !== undefined ? { body: outputJson(call, output) } : { error: error as ServiceError };
    },
  );
  sent.on("metadata", (received) => {
    headers = received;
  });
  sent.on("status", ({ metadata: trailers }) => {
    if (outcome !== undefined && "body" in outcome) {
      resolve({ code: "ok", headers: ownHeaders(textsOf(headers)), body: outcome.body, trailers: ownHeaders(textsOf(trailers)) });
    } else if (outcome !== undefined) {
      const { error } = outcome;
      const [status] = trailers.get("grpc-status-details-bin");
      resolve({
        code: CODE_NAMES[error.code as number as Code],
        // A head alone is both the headers and the trailers; grpc-js shows it as the trailers.
        headers: ownHeaders([...textsOf(headers), ...textsOf(trailers)]),
        body: undefined,
        message: error.details,
        details: status === undefined ? [] : detailsOfStatus(status as Buffer),
      });
    }
  });
  return promise;
}

/** gRPC, binary, by a client that shares no code with the server. */
export const grpc: Client = {
  name: "gRPC",
  protocol: "grpc",
  async call(call) {
    const client = new GrpcClient(new URL(call.origin).host, credentials.createInsecure());
    try {
      return await callWith(client, call);
    } finally {
      client.close();
    }
  },
};

/** All of them. */
export const CLIENTS: readonly Client[] = [rest, connectJson, connectBinary, grpcWeb, grpc];

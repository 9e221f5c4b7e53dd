// Serves the methods of a Connect router as REST, by the google.api.http rules in their protos. A request is bound to the method's message,
// and goes through the router's own handler, with its interceptors, in the Connect protocol. So a call behaves the same over REST and RPC.
import {
  type DescField,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type JsonValue,
  type Message,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, type ConnectRouterOptions, createConnectRouter } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorToJson } from "@connectrpc/connect/protocol-connect";
import type { IsUnixSeconds } from "./field-requirement.ts";
import { compileRoutes, type Route } from "./routes.ts";

/** Which methods to serve, and how. The options of the router apply to REST too: interceptors, jsonOptions, maxTimeoutMs and others. */
export interface RestOptions extends Omit<ConnectRouterOptions, "grpc" | "grpcWeb" | "connect"> {
  /** The same function that is given to connectNodeAdapter or fastifyConnectPlugin. */
  readonly routes: (router: ConnectRouter) => void;
  /** The longest body that is read, in bytes; 4 MiB by default, as in gRPC. */
  readonly bodyBytesMax?: number;
  /** Which fields are numbers of Unix seconds, which may then be given in RFC 3339 too; none by default. */
  readonly isUnixSeconds?: IsUnixSeconds;
}

/** A request, as any server has it. */
export interface RestRequest {
  /** In upper case. */
  readonly method: string;
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string;
  /** The query as sent, without `?`. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array> | undefined;
  readonly signal: AbortSignal;
}

/** A response. Its body is a whole text, or one line of JSON for each message of a stream. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | AsyncIterable<string>;
}

/** Responds to each request. Never rejects. */
export type RestHandler = (request: RestRequest) => Promise<RestResponse>;

const BODY_BYTES_MAX = 4 * 1024 * 1024;
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
// They describe the body of the request, which is replaced, or the encoding of the response.
const NOT_PASSED_ON = ["accept-encoding", "content-encoding", "content-length", "content-type", "transfer-encoding"];
const END_STREAM = 0b10;
const ENVELOPE_HEAD_BYTES = 5;

/** Compiles the rules of a router's methods. Throws an Error that names the first that cannot be served. */
export function createRestHandler({
  routes: define,
  bodyBytesMax = BODY_BYTES_MAX,
  isUnixSeconds,
  ...options
}: RestOptions): RestHandler {
  const router = createConnectRouter({ ...options, grpc: false, grpcWeb: false, connect: true });
  define(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  const { match } = compileRoutes(
    router.handlers.map(({ method }) => method),
    isUnixSeconds && { isUnixSeconds },
  );

  const respond: RestHandler = async (request) => {
    const found = match(request.method, request.path);
    switch (found.kind) {
      case "unknown":
        return failure(new ConnectError(`there is no ${request.path}`, Code.NotFound));
      case "malformed":
        return failure(new ConnectError("the path must be percent-encoded UTF-8", Code.InvalidArgument));
      case "method-not-allowed": {
        const allow = found.allowed.join(", ");
        return failure(new ConnectError(`${request.path} has only ${allow}`, Code.Unimplemented), 405, { allow });
      }
    }
    const { route, pathValues } = found;
    const handler = handlers.get(`/${route.rpc.parent.typeName}/${route.rpc.name}`) as UniversalHandler;
    const bodyType = bodyTypeOf(request.headers);
    if (bodyType === undefined) {
      return failure(new ConnectError(`the content-type must be ${JSON_TYPE} or ${FORM_TYPE}`, Code.InvalidArgument), 415);
    }
    const body = request.body && (await bytesOf(request.body, bodyBytesMax));
    const input = toBinary(route.rpc.input, route.bind({ pathValues, query: request.query, body, bodyType }));
    return route.rpc.methodKind === "unary"
      ? ofUnary(await call(handler, request, "application/proto", input), route, options.jsonOptions)
      : ofStream(await call(handler, request, "application/connect+proto", enveloped(input)), route, options.jsonOptions);
  };
  return (request) => respond(request).catch((error) => failure(ConnectError.from(error)));
}

function failure(
  error: ConnectError,
  status = codeToHttpStatus(error.code),
  headers: Readonly<Record<string, string>> = {},
): RestResponse {
  const body = JSON.stringify(errorToJson(error, undefined));
  return { status, headers: new Headers({ "content-type": JSON_TYPE, ...headers }), body };
}

// A body without a type is JSON.
function bodyTypeOf(headers: Headers): "json" | "form" | undefined {
  const [type = ""] = (headers.get("content-type") ?? JSON_TYPE).split(";");
  return { [JSON_TYPE]: "json" as const, [FORM_TYPE]: "form" as const }[type.trim().toLowerCase()];
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new ConnectError(`the body is longer than ${bytesMax} bytes`, Code.ResourceExhausted);
    }
    all.push(chunk);
  }
  return Buffer.concat(all);
}

function call(
  handler: UniversalHandler,
  { headers, signal }: RestRequest,
  type: string,
  body: Uint8Array,
): Promise<UniversalServerResponse> {
  const header = new Headers(headers);
  for (const name of NOT_PASSED_ON) {
    header.delete(name);
  }
  header.set("content-type", type);
  const chunks = (async function* () {
    yield body;
  })();
  return handler({ httpVersion: "1.1", url: `http://rest${handler.requestPath}`, method: "POST", header, body: chunks, signal });
}

async function ofUnary(
  response: UniversalServerResponse,
  { rpc, responseBody }: Route,
  jsonOptions: RestOptions["jsonOptions"],
): Promise<RestResponse> {
  const bytes = Buffer.concat(await Array.fromAsync(response.body ?? []));
  const headers = headersOf(response);
  if (response.status !== 200) {
    return { status: response.status, headers, body: bytes.toString() };
  }
  headers.set("content-type", JSON_TYPE);
  return { status: 200, headers, body: JSON.stringify(jsonOf(rpc.output, bytes, responseBody, jsonOptions)) };
}

function ofStream(
  response: UniversalServerResponse,
  { rpc, responseBody }: Route,
  jsonOptions: RestOptions["jsonOptions"],
): RestResponse {
  const headers = headersOf(response);
  headers.set("content-type", "application/x-ndjson");
  const lines = async function* () {
    for await (const { flags, data } of envelopesOf(response.body ?? [])) {
      if ((flags & END_STREAM) === 0) {
        yield `${JSON.stringify(jsonOf(rpc.output, data, responseBody, jsonOptions))}\n`;
        continue;
      }
      const { error } = JSON.parse(Buffer.from(data).toString()) as { error?: JsonValue };
      if (error !== undefined) {
        yield `${JSON.stringify({ error })}\n`;
      }
    }
  };
  return { status: response.status, headers, body: lines() };
}

// Those that describe the body of the RPC are left out, because it is another one in REST.
function headersOf({ header }: UniversalServerResponse): Headers {
  const headers = new Headers(header);
  headers.delete("content-length");
  headers.delete("content-encoding");
  return headers;
}

/** The JSON of an output message, or of one of its fields. */
function jsonOf(desc: DescMessage, bytes: Uint8Array, responseBody: string, jsonOptions: RestOptions["jsonOptions"]): JsonValue {
  const message = fromBinary(desc, bytes);
  if (responseBody === "") {
    return toJson(desc, message, jsonOptions);
  }
  const { jsonName, name } = desc.fields.find((field) => field.name === responseBody) as DescField;
  const valueIn = (json: JsonValue): JsonValue | undefined =>
    (json as JsonObject)[jsonOptions?.useProtoFieldName ? name : jsonName];
  return (
    valueIn(toJson(desc, message, jsonOptions)) ??
    valueIn(toJson(desc, message as Message, { ...jsonOptions, alwaysEmitImplicit: true })) ??
    null
  );
}

function enveloped(data: Uint8Array): Uint8Array {
  const envelope = Buffer.alloc(ENVELOPE_HEAD_BYTES + data.length);
  envelope.writeUInt32BE(data.length, 1);
  envelope.set(data, ENVELOPE_HEAD_BYTES);
  return envelope;
}

async function* envelopesOf(chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[]) {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk]);
    while (held.length >= ENVELOPE_HEAD_BYTES && held.length >= ENVELOPE_HEAD_BYTES + held.readUInt32BE(1)) {
      const end = ENVELOPE_HEAD_BYTES + held.readUInt32BE(1);
      yield { flags: held.readUInt8(0), data: held.subarray(ENVELOPE_HEAD_BYTES, end) };
      held = held.subarray(end);
    }
  }
}

// Finds the RPC and protocol of a request by its path, HTTP method and content type, and creates its operation.
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Exchange } from "@quintet/http";
import { nearestName } from "@quintet/transcoding";
import type { Problem } from "../problem/problem.ts";
import { isUtf8, mediaTypeOf, NOT_UTF8 } from "./media-type.ts";
import { type Fail, type NoOperation, type Operation, RpcStreamOperation, UnaryOperation } from "./operation.ts";
import type { ProtocolName } from "./rpc/codec.ts";
import { type CodecTable, createCodecTable } from "./rpc/codec-table.ts";
import { failConnect, failConnectStream } from "./rpc/codecs/connect.ts";
import { failGrpc } from "./rpc/codecs/grpc.ts";
import { failGrpcWeb } from "./rpc/codecs/grpc-web.ts";
import type { Method } from "./rpc/method.ts";

// Finds the method that a caller may have meant, if no method has the given path. The service's name and the method's name are compared
// separately: whole paths of one service are mostly alike, so even a method with an entirely different name would look close.

// The most names that a hint lists: more would not help.
const NAMES_SHOWN_MAX = 10;

/** Creates the function that returns the hint for a path: a space and a sentence, or an empty string. `paths`: of all methods. */
export function createMethodHint(paths: Iterable<string>): (path: string) => string {
  const services = new Map<string, string[]>();
  for (const path of paths) {
    const [service, method] = partsOf(path);
    const methods = services.get(service) ?? [];
    services.set(service, methods);
    methods.push(method);
  }
  return (path) => {
    const [given, method] = partsOf(path);
    const service = services.has(given) ? given : nearestName(given, services.keys());
    const methods = services.get(service ?? "");
    if (service === undefined || methods === undefined) {
      return "";
    }
    const nearest = nearestName(method, methods);
    if (nearest !== undefined) {
      return ` Did you mean /${service}/${nearest}?`;
    }
    return methods.length <= NAMES_SHOWN_MAX ? ` ${service} has ${methods.join(", ")}.` : "";
  };
}

// The names of the service and of the method in `/service/method`.
function partsOf(path: string): readonly [service: string, method: string] {
  const end = path.lastIndexOf("/");
  return [path.slice(1, end), path.slice(end + 1)];
}

/** Finds RPCs. Undefined if neither the path nor the content type belongs to RPC. */
export type RpcDispatcher = (exchange: Exchange) => Operation | NoOperation | undefined;

interface RpcEntry {
  readonly method: Method;
  readonly codecs: CodecTable;
  readonly allow: string;
}

const STREAM_TYPE = /^application\/(?:grpc(?:-web(?:-text)?)?(?:\+(?:proto|json))?|connect\+(?:proto|json))$/;

/** How to send a failure, by the content type alone. `otherwise` is for content types that do not belong to an RPC protocol. */
function failFor(mediaType: string, otherwise: Fail): Fail {
  if (mediaType.startsWith("application/grpc-web")) {
    return (exchange, problem, headers) => failGrpcWeb(exchange, problem, headers, mediaType);
  }
  if (mediaType.startsWith("application/grpc")) {
    return (exchange, problem, headers) => failGrpc(exchange, problem, headers, mediaType.endsWith("+json") ? "json" : "proto");
  }
  if (mediaType.startsWith("application/connect+")) {
    return (exchange, problem, headers) =>
      failConnectStream(exchange, problem, headers, mediaType.endsWith("+json") ? "json" : "proto");
  }
  return otherwise;
}

/** The protocol of a content type. `otherwise` is for content types that do not belong to an RPC protocol. */
function protocolOf(mediaType: string, otherwise: ProtocolName): ProtocolName {
  if (mediaType.startsWith("application/grpc-web")) {
    return "grpc-web";
  }
  if (mediaType.startsWith("application/grpc")) {
    return "grpc";
  }
  return mediaType.startsWith("application/connect+") ? "connect" : otherwise;
}

/** `failEnvelope` is used for callers that do not use an RPC protocol. */
export function createRpcDispatcher(methods: ReadonlyMap<string, Method>, failEnvelope: Fail): RpcDispatcher {
  const entries = new Map<string, RpcEntry>();
  for (const [path, method] of methods) {
    const mayGet = method.desc.methodKind === "unary" && method.desc.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    entries.set(path, {
      method,
      codecs: createCodecTable(method, mayGet),
      allow: mayGet ? "GET, POST" : "POST",
    });
  }
  const hintFor = createMethodHint(entries.keys());
  return (exchange) => {
    const mediaType = mediaTypeOf(exchange.headers["content-type"]);
    const entry = entries.get(exchange.path);
    if (entry !== undefined) {
      return find(exchange, mediaType, entry);
    }
    // Most REST calls have no content type.
    return mediaType === "" ? undefined : findUnknown(exchange, mediaType);
  };

  function find(exchange: Exchange, mediaType: string, { method, codecs, allow }: RpcEntry): Operation | NoOperation {
    const refuse = (problem: Problem): NoOperation => ({
      kind: "none",
      protocolName: protocolOf(mediaType, "rest"),
      method,
      problem,
      fail: failEnvelope,
    });
    const isGet = exchange.method === "GET" && codecs.get.size > 0;
    if (!isGet && exchange.method !== "POST") {
      const message = `${method.fullName} accepts ${allow.replace(", ", " or ")}, not ${exchange.method}.`;
      return refuse({ reason: "METHOD_NOT_ALLOWED", message, allow });
    }
    const codec = isGet ? codecs.get.get(encodingParameter(exchange.query)) : codecs.post.get(mediaType);
    const isStream = method.desc.methodKind !== "unary";
    if (isStream ? !STREAM_TYPE.test(mediaType) : codec === undefined) {
      const message = isGet
        ? "Connect's GET needs the parameters message and encoding; encoding must be json or proto."
        : `The content type of a call to ${method.fullName} must be one of Connect's, gRPC's or gRPC-Web's.`;
      return refuse({ reason: "UNSUPPORTED_MEDIA_TYPE", message });
    }
    // Connect's own servers do not accept any other charset either. For streams, connect-es checks it.
    if (mediaType === "application/json" && !isGet && !isUtf8(exchange.headers["content-type"])) {
      return refuse(NOT_UTF8);
    }
    if (codec !== undefined && method.invoke !== undefined) {
      return new UnaryOperation(exchange, method, codec, method.invoke);
    }
    return new RpcStreamOperation(
      exchange,
      method,
      codec ?? { protocolName: protocolOf(mediaType, "connect"), fail: failFor(mediaType, failConnect) },
    );
  }

  // No RPC has this path. Callers of an RPC protocol get the error in that protocol.
  function findUnknown({ method, path }: Exchange, mediaType: string): Operation | NoOperation | undefined {
    const looksLikeRpc = method === "POST" && /^\/[\w.]*\.\w+\/\w+$/.test(path);
    const isRpcType = /^application\/(?:grpc|connect\+)/.test(mediaType);
    const isConnect = looksLikeRpc && /^application\/(?:json|proto)$/.test(mediaType);
    if (!isRpcType && !isConnect) {
      return undefined;
    }
    const problem = { reason: "METHOD_UNKNOWN", message: `There is no such method here.${hintFor(path)}` } as const;
    return {
      kind: "none",
      protocolName: protocolOf(mediaType, "connect"),
      method: undefined,
      problem,
      fail: failFor(mediaType, failConnect),
    };
  }
}

// Matches the first parameter `encoding`. Any letter of its name may be percent-encoded. One pass over the query, since any number
// of other parameters may come before it.
const ENCODING = new RegExp(
  `(?:^|&)(${[..."encoding"].map((letter) => `(?:${letter}|%${letter.charCodeAt(0).toString(16)})`).join("")}(?:=[^&]*)?)(?=&|$)`
    .replaceAll("%6e", "%6[eE]")
    .replaceAll("%6f", "%6[fF]"),
);

// Longer than any name of a codec with each of its letters escaped.
const ENCODING_CHARACTERS_MAX = 100;

// Its value; empty if there is none that could name a codec.
function encodingParameter(query: string): string {
  const parameter = ENCODING.exec(query)?.[1] ?? "";
  return parameter.length > ENCODING_CHARACTERS_MAX ? "" : (new URLSearchParams(parameter).get("encoding") ?? "");
}

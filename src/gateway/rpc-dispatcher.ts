// Finds the RPC that a request calls and the protocol, by the path, the HTTP method and the content type, and makes its operation.
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Exchange } from "../http/exchange.ts";
import type { Problem } from "../problem/problem.ts";
import { nearestName } from "../runtime/nearest-name.ts";
import { isUtf8, mediaTypeOf, NOT_UTF8 } from "./media-type.ts";
import { type Fail, type NoOperation, type Operation, RpcStreamOperation, UnaryOperation } from "./operation.ts";
import type { ProtocolName } from "./rpc/codec.ts";
import { type CodecTable, createCodecTable } from "./rpc/codec-table.ts";
import { failConnect, failConnectStream } from "./rpc/codecs/connect.ts";
import { failGrpc } from "./rpc/codecs/grpc.ts";
import { failGrpcWeb } from "./rpc/codecs/grpc-web.ts";
import type { Method } from "./rpc/method.ts";

/** Finds RPCs. Undefined where neither the path is an RPC's nor the content type an RPC protocol's. */
export type RpcDispatcher = (exchange: Exchange) => Operation | NoOperation | undefined;

interface RpcEntry {
  readonly method: Method;
  readonly codecs: CodecTable;
  readonly allow: string;
}

const STREAM_TYPE = /^application\/(?:grpc(?:-web(?:-text)?)?(?:\+(?:proto|json))?|connect\+(?:proto|json))$/;

/** How to answer a caller by the content type alone. `otherwise` is for content types of no RPC protocol. */
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

/** The protocol that a content type belongs to. `otherwise` is for content types of no RPC protocol. */
function protocolOf(mediaType: string, otherwise: ProtocolName): ProtocolName {
  if (mediaType.startsWith("application/grpc-web")) {
    return "grpc-web";
  }
  if (mediaType.startsWith("application/grpc")) {
    return "grpc";
  }
  return mediaType.startsWith("application/connect+") ? "connect" : otherwise;
}

/** Makes the dispatcher. `failEnvelope` answers callers who use none of the RPC protocols. */
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
  return (exchange) => {
    const mediaType = mediaTypeOf(exchange.headers["content-type"]);
    const entry = entries.get(exchange.path);
    return entry === undefined ? findUnknown(exchange, mediaType) : find(exchange, mediaType, entry);
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
      const message = `${method.fullName} takes ${allow.replace(", ", " or ")}, not ${exchange.method}.`;
      return refuse({ reason: "METHOD_NOT_ALLOWED", message, allow });
    }
    const codec = isGet ? codecs.get.get(encodingParameter(exchange.query)) : codecs.post.get(mediaType);
    const isStream = method.desc.methodKind !== "unary";
    if (isStream ? !STREAM_TYPE.test(mediaType) : codec === undefined) {
      const message = isGet
        ? "Connect's GET needs the parameter encoding=json or encoding=proto beside message."
        : `The content type of a call to ${method.fullName} must be one of Connect's, gRPC's or gRPC-Web's.`;
      return refuse({ reason: "UNSUPPORTED_MEDIA_TYPE", message });
    }
    // Connect's own servers take no other charset either. For streams, connect-es checks it.
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

  // The path is no RPC's. A caller who uses an RPC protocol hears of it in that protocol.
  function findUnknown({ method, path }: Exchange, mediaType: string): Operation | NoOperation | undefined {
    const looksLikeRpc = method === "POST" && /^\/[\w.]*\.\w+\/\w+$/.test(path);
    const isRpcType = /^application\/(?:grpc|connect\+)/.test(mediaType);
    const isConnect = looksLikeRpc && /^application\/(?:json|proto)$/.test(mediaType);
    if (!isRpcType && !isConnect) {
      return undefined;
    }
    const nearest = nearestName(path, entries.keys());
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    const problem = { reason: "METHOD_UNKNOWN", message: `There is no such method here.${hint}` } as const;
    return {
      kind: "none",
      protocolName: protocolOf(mediaType, "connect"),
      method: undefined,
      problem,
      fail: failFor(mediaType, failConnect),
    };
  }
}

const encodingParameter = (query: string): string => new URLSearchParams(query).get("encoding") ?? "";

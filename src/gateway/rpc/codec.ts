// What the unary pipeline needs from a protocol: read a message from a request, write a message as a response, respond with a
// problem. REST, Connect, gRPC, gRPC-Web and the tools of MCP each have a codec. Nothing else in the unary pipeline knows
// which protocol a call uses.
import type { Message } from "@bufbuild/protobuf";
import type { Exchange, ResponseBody, ResponseHeaders } from "@quintet/http";
import type { Problem } from "../../problem/problem.ts";
import type { HandlerMetadata } from "./response-metadata.ts";

/** The protocols, by the names that handlers see. */
export type ProtocolName = "rest" | "connect" | "grpc" | "grpc-web" | "mcp";

/** How large messages may be, and how they may be sent. */
export interface MessageLimits {
  /** The longest body that is read, compressed or not. */
  readonly bodyBytesMax: number;
  /** The longest message after decompression. */
  readonly messageBytesMax: number;
  /** Whether messages may be compressed. */
  readonly allowsGzip: boolean;
  /** Whether the caller is known. The bodies of unknown callers share a small memory budget. */
  readonly isCallerKnown: boolean;
}

export interface EncodedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: ResponseBody;
  readonly trailers?: Readonly<Record<string, string>>;
}

/** How one protocol reads requests and writes responses. The dispatcher chooses it by the request's head. */
export interface Codec {
  readonly protocolName: ProtocolName;
  /** The caller's deadline from its header, in milliseconds; undefined if there is none. Throws a Failure if it is malformed. */
  timeoutMs(exchange: Exchange): number | undefined;
  /** Reads the input message. Throws or rejects with a Failure, or with a fault of the transport. */
  read(exchange: Exchange, limits: MessageLimits): Message | Promise<Message>;
  /**
   * Writes the response of a successful call, with `headers` and what the handler has set (`metadata`). The headers belong to the call and
   * may become those of the response. If the message cannot be written, or what the handler has set cannot be sent, throws and leaves the
   * headers unchanged.
   */
  write(exchange: Exchange, output: Message, headers: ResponseHeaders, metadata: HandlerMetadata): EncodedResponse;
  /** Writes the response of a dry run. Codecs leave this out if that response is an empty message with the headers of a dry run. */
  writeDryRun?(exchange: Exchange, headers: ResponseHeaders): EncodedResponse;
  /** Responds with a problem, before or after the body was read, and with what the handler has set, if it was called. */
  fail(exchange: Exchange, problem: Problem, headers: ResponseHeaders, metadata?: HandlerMetadata): void;
}

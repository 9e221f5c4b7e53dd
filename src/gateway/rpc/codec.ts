// What the unary pipeline asks of a protocol: read a message out of a request, write a message as an answer, send a problem. There is one
// codec for each of REST, Connect, gRPC and gRPC-Web, in a file of that name, and nothing else in the pipelines knows a protocol.
import type { Message } from "@bufbuild/protobuf";
import type { Exchange } from "../../http/exchange.ts";
import type { ResponseHeaders } from "../../http/headers.ts";
import type { Problem } from "../../problem/problem.ts";
import type { HandlerMetadata } from "./response-metadata.ts";

/** The protocols, by the names that handlers see. */
type ProtocolName = "rest" | "connect" | "grpc" | "grpc-web";

/** Sizes that codecs keep to. */
export interface MessageLimits {
  /** The longest body that is read, compressed or not. */
  readonly bodyBytesMax: number;
  /** The longest message after decompression. */
  readonly messageBytesMax: number;
  /** Whether messages may be compressed. */
  readonly takesGzip: boolean;
  /** Whether it is known who calls: bodies of callers who are not have a room of their own. */
  readonly isCallerKnown: boolean;
}

/** An answer that is ready to be sent. */
export interface EncodedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array | string;
  readonly trailers?: Readonly<Record<string, string>>;
}

/** One request's way through its protocol. Made by the dispatcher from the request's head alone; no byte of the body has been read. */
export interface Codec {
  readonly protocolName: ProtocolName;
  /** The caller's deadline from its header, in milliseconds; undefined when it gives none. Throws a Failure when it is malformed. */
  timeoutMs(exchange: Exchange): number | undefined;
  /** Reads the one input message. Throws or rejects with a Failure. */
  read(exchange: Exchange, limits: MessageLimits): Message | Promise<Message>;
  /**
   * Makes the answer of a call that succeeded. `headers` are the answer's own, beside those that the handler set (`metadata`). Throws when
   * the message cannot be written, or what the handler set cannot be sent.
   */
  write(exchange: Exchange, output: Message, headers: ResponseHeaders, metadata: HandlerMetadata): EncodedResponse;
  /** Sends a failure, before or after the body was read; with what the handler had set, where it was called. */
  fail(exchange: Exchange, problem: Problem, headers: ResponseHeaders, metadata?: HandlerMetadata): void;
}

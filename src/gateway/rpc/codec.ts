// What the unary pipeline asks of a protocol: read a message from a request, write a message as an answer, answer with a problem. REST, Connect,
// gRPC and gRPC-Web have a codec each, in a file of that name. Nothing else in the unary pipeline knows which protocol a call uses.
import type { Message } from "@bufbuild/protobuf";
import type { Exchange } from "../../http/exchange.ts";
import type { ResponseHeaders } from "../../http/headers.ts";
import type { Problem } from "../../problem/problem.ts";
import type { HandlerMetadata } from "./response-metadata.ts";

/** The protocols, by the names that handlers see. */
export type ProtocolName = "rest" | "connect" | "grpc" | "grpc-web";

/** How large messages may be, and how they may be sent. */
export interface MessageLimits {
  /** The longest body that is read, compressed or not. */
  readonly bodyBytesMax: number;
  /** The longest message after decompression. */
  readonly messageBytesMax: number;
  /** Whether messages may be compressed. */
  readonly takesGzip: boolean;
  /** Whether it is known who calls. The bodies of unknown callers share a small memory budget of their own. */
  readonly isCallerKnown: boolean;
}

/** An answer that is ready to be sent. */
export interface EncodedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array | string;
  readonly trailers?: Readonly<Record<string, string>>;
}

/** How one protocol reads requests and writes answers. Chosen by the dispatcher by the request's head. */
export interface Codec {
  readonly protocolName: ProtocolName;
  /** The caller's deadline from its header, in milliseconds; undefined when it gives none. Throws a Failure when it is malformed. */
  timeoutMs(exchange: Exchange): number | undefined;
  /** Reads the input message. Throws or rejects with a Failure, or with a fault of the transport. */
  read(exchange: Exchange, limits: MessageLimits): Message | Promise<Message>;
  /**
   * Makes the answer of a call that succeeded, with `headers` and with what the handler has set (`metadata`). The headers are the call's own and
   * may become the answer's. Throws, and leaves them as they are, when the message cannot be written, or what the handler has set cannot be sent.
   */
  write(exchange: Exchange, output: Message, headers: ResponseHeaders, metadata: HandlerMetadata): EncodedResponse;
  /** Makes the answer of a dry run, whose call was not made: the output message is empty. */
  writeDryRun(exchange: Exchange, headers: ResponseHeaders): EncodedResponse;
  /** Answers with a problem, before or after the body was read, and with what the handler has set, where it was called. */
  fail(exchange: Exchange, problem: Problem, headers: ResponseHeaders, metadata?: HandlerMetadata): void;
}

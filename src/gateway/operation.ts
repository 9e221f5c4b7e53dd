// The record of one call. A dispatcher creates it from the request's head. It is completed when the access check has decided, and then
// passed to the pipeline, which makes the call and sends the response.
import type { Message } from "@bufbuild/protobuf";
import type { Exchange, ResponseHeaders } from "@quintet/http";
import type { Admitted } from "../guard/guard.ts";
import type { CallerIdentity } from "../guard/keys/access.ts";
import type { Problem } from "../problem/problem.ts";
import type { TraceContext } from "../runtime/trace-context.ts";
import type { CallObserver, ObservedCall } from "./call-observer.ts";
import type { StreamFormat } from "./rest/stream-format.ts";
import type { Codec, ProtocolName } from "./rpc/codec.ts";
import type { Invoke, InvokeStream } from "./rpc/invoke.ts";
import type { Method } from "./rpc/method.ts";

/** The header of the request. A response with it belongs to a call that was not made. */
export const DRY_RUN_HEADER = "x-quintet-dry-run";

/** What a dry run returns besides an empty message, if the call would be admitted and its input is valid. */
export const DRY_RUN_HEADERS: ResponseHeaders = {
  [DRY_RUN_HEADER]: "admitted",
  // Must not be cached, because the response to the real call may have the same URL.
  "cache-control": "no-store",
};

/** The `message` of REST's envelope for a dry run. */
export const DRY_RUN_MESSAGE = "Dry run: the call was not made. It would be admitted, as far as a dry run checks its input.";

/** Whether the request is a dry run, or the fault of its header. */
export function dryRunOf({ headers }: Pick<Exchange, "headers">, { accessCheck, fullName }: Method): boolean | Problem {
  const given = headers[DRY_RUN_HEADER];
  if (given === undefined || given === "false") {
    return false;
  }
  if (given !== "true") {
    return malformed(`The ${DRY_RUN_HEADER} header must be true or false.`);
  }
  return (
    accessCheck.supportsDryRuns === true ||
    malformed(`${fullName} does not support dry runs; leave the ${DRY_RUN_HEADER} header out.`)
  );
}

const malformed = (message: string): Problem => ({ reason: "MALFORMED_REQUEST", message });

/** Sends a problem in the caller's own protocol. */
export type Fail = (exchange: Exchange, problem: Problem, headers: ResponseHeaders) => void;

abstract class BaseOperation<OwnCodec extends Pick<Codec, "fail" | "protocolName">> implements ObservedCall {
  readonly exchange: Exchange;
  readonly method: Method;
  readonly codec: OwnCodec;
  /** The observer of this call; undefined if there is none. Set by the dispatcher or the MCP endpoint. */
  observer: CallObserver | undefined;
  /** Whether this is a dry run: the method is not called then. Set by the call runner. */
  isDryRun = false;
  /** When its head arrived, in monotonic time; 0 if calls are not observed. Set by the dispatcher or the MCP endpoint. */
  startedMs = 0;
  /** The owner of the key. Set by the call runner after the access check. */
  identity: CallerIdentity | undefined;
  /** The request message. Set by the pipeline once it is read. */
  input: Message | undefined;
  /** The trace that the call's upstream requests belong to, if it is not the caller's. Set by the tracer. */
  trace: TraceContext | undefined;
  /** Headers of the response, whether the call succeeds or fails. Set by the call runner after the access check. */
  headers!: ResponseHeaders;
  /** The admission, which is settled when the call ends. Set by the call runner before it calls a pipeline. */
  admitted!: Admitted;

  constructor(exchange: Exchange, method: Method, codec: OwnCodec) {
    this.exchange = exchange;
    this.method = method;
    this.codec = codec;
  }

  get protocolName(): ProtocolName {
    return this.codec.protocolName;
  }
}

/** A call to a unary method, in any protocol. */
export class UnaryOperation extends BaseOperation<Codec> {
  readonly kind = "unary";
  readonly invoke: Invoke;

  constructor(exchange: Exchange, method: Method, codec: Codec, invoke: Invoke) {
    super(exchange, method, codec);
    this.invoke = invoke;
  }
}

/** How a REST stream reads its input and writes its messages. */
export interface RestStreamParts {
  readonly invoke: InvokeStream;
  readonly format: StreamFormat;
  /** Writes one message as a single line of JSON. */
  readonly writeData: (output: Message) => string;
}

type RestStreamCodec = Pick<Codec, "protocolName" | "timeoutMs" | "read" | "fail"> & Required<Pick<Codec, "writeDryRun">>;

/** A REST call to a server-streaming method. Its codec reads the input, and sends failures that occur before the first message. */
export class RestStreamOperation extends BaseOperation<RestStreamCodec> {
  readonly kind = "rest-stream";
  readonly invoke: InvokeStream;
  readonly format: StreamFormat;
  readonly writeData: (output: Message) => string;

  constructor(exchange: Exchange, method: Method, codec: RestStreamCodec, { invoke, format, writeData }: RestStreamParts) {
    super(exchange, method, codec);
    this.invoke = invoke;
    this.format = format;
    this.writeData = writeData;
  }
}

/**
 * A call to a streaming method over Connect, gRPC or gRPC-Web. connect-es reads and writes it; the codec sends failures that connect-es
 * cannot.
 */
export class RpcStreamOperation extends BaseOperation<Pick<Codec, "fail" | "protocolName">> {
  readonly kind = "rpc-stream";
}

export type Operation = UnaryOperation | RestStreamOperation | RpcStreamOperation;

/** The result for a request that does not call a method: it is refused without an access check. */
export interface NoOperation {
  readonly kind: "none";
  readonly protocolName: ProtocolName;
  /** The method that its path names, if any. */
  readonly method: Method | undefined;
  readonly problem: Problem;
  readonly fail: Fail;
}

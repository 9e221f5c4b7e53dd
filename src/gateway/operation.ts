// The record of one call. A dispatcher makes it from the request's head. It is filled in when the access check has decided, and handed on as it
// is to the pipeline, which answers the call.
import type { Message } from "@bufbuild/protobuf";
import type { Admitted } from "../guard/guard.ts";
import type { CallerIdentity } from "../guard/keys/access.ts";
import type { Exchange } from "../http/exchange.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { Problem } from "../problem/problem.ts";
import type { TraceContext } from "../runtime/trace-context.ts";
import type { CallObserver, ObservedCall } from "./call-observer.ts";
import type { Codec, ProtocolName } from "./rpc/codec.ts";
import type { Invoke, InvokeStream } from "./rpc/invoke.ts";
import type { Method } from "./rpc/method.ts";
import type { StreamFormat } from "./rpc/stream-format.ts";

/** Sends a problem in the caller's own protocol. */
export type Fail = (exchange: Exchange, problem: Problem, headers: ResponseHeaders) => void;

/** What the operations of all kinds have in common. */
abstract class BaseOperation<OwnCodec extends Pick<Codec, "fail" | "protocolName">> implements ObservedCall {
  readonly exchange: Exchange;
  readonly method: Method;
  /** The caller's protocol. */
  readonly codec: OwnCodec;
  /** Who hears of this call; undefined where nobody does. Set by the dispatcher. */
  observer: CallObserver | undefined;
  /** Whether the caller only asks what would become of the call: then its method is not called. Set by the dispatcher. */
  isDryRun = false;
  /** When its head was there, on the clock's monotonic time; 0 where nobody observes calls. Set by the dispatcher. */
  startedMs = 0;
  /** Whose key it is. Set by the dispatcher once the access check has found out. */
  identity: CallerIdentity | undefined;
  /** The trace that goes along with the requests that are made for it, where that is not its caller's. Set by what traces calls. */
  trace: TraceContext | undefined;
  /** Headers of the answer, whether the call succeeds or fails. Set by the dispatcher once the access check has decided. */
  headers!: ResponseHeaders;
  /** The admission, which is settled when the call ends. Set by the dispatcher before a pipeline gets the operation. */
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

/** A call of a unary method, in any protocol. */
export class UnaryOperation extends BaseOperation<Codec> {
  readonly kind = "unary";
  readonly invoke: Invoke;

  constructor(exchange: Exchange, method: Method, codec: Codec, invoke: Invoke) {
    super(exchange, method, codec);
    this.invoke = invoke;
  }
}

/** How a stream over REST reads its input and writes its messages. */
export interface RestStreamParts {
  readonly invoke: InvokeStream;
  readonly format: StreamFormat;
  /** Writes one message as JSON, in one line. */
  readonly writeData: (output: Message) => string;
}

/** A call over REST of a method that answers with a stream. Its codec reads the input, and answers what fails before the first message. */
export class RestStreamOperation extends BaseOperation<
  Pick<Codec, "protocolName" | "timeoutMs" | "read" | "writeDryRun" | "fail">
> {
  readonly kind = "rest-stream";
  readonly invoke: InvokeStream;
  readonly format: StreamFormat;
  readonly writeData: (output: Message) => string;

  constructor(exchange: Exchange, method: Method, codec: Codec, { invoke, format, writeData }: RestStreamParts) {
    super(exchange, method, codec);
    this.invoke = invoke;
    this.format = format;
    this.writeData = writeData;
  }
}

/** A call of a streaming method over Connect, gRPC or gRPC-Web. connect-es reads and writes it; the codec answers where it cannot. */
export class RpcStreamOperation extends BaseOperation<Pick<Codec, "fail" | "protocolName">> {
  readonly kind = "rpc-stream";
}

/** One call. */
export type Operation = UnaryOperation | RestStreamOperation | RpcStreamOperation;

/** What is found for a request that calls nothing: it is refused without an access check. */
export interface NoOperation {
  readonly kind: "none";
  readonly protocolName: ProtocolName;
  /** The method that its path names, where there is one. */
  readonly method: Method | undefined;
  readonly problem: Problem;
  readonly fail: Fail;
}

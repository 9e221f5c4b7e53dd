// The Connect pipeline: connect-es's own handlers, for streaming methods. It runs the same implementations after the same
// validation, and settles each call once, before its caller can see how it ended.

import { promisify } from "node:util";
import { gunzipSync, gunzip as gunzipWithCallback, gzip as gzipWithCallback } from "node:zlib";
import { Code, ConnectError, type ConnectRouter, createConnectRouter } from "@connectrpc/connect";
import type { Compression, UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { type BodyRoom, noRoomForBody, type ResponseHeaders, type ResponseStream, withinRoom } from "@quintet/http";
import { Failure } from "../../problem/failure.ts";
import { internalProblem, type Problem } from "../../problem/problem.ts";
import { codingOf, mediaTypeOf } from "../media-type.ts";
import type { RpcStreamOperation } from "../operation.ts";
import { bodyWithFailures } from "../transport-problem.ts";
import { CallerValues, urlOf } from "./call-context.ts";
import type { MessageLimits } from "./codec.ts";
import { compress, tooLarge } from "./compression.ts";
import { withDryRuns } from "./connect-dry-runs.ts";
import { createConnectInterceptor, streamKey } from "./connect-interceptor.ts";
import { COMPRESSED_FLAG, ENVELOPE_HEAD_BYTES, frame, TRAILER_FLAG } from "./envelope.ts";
import { withoutNeedlessEscapes } from "./grpc-status.ts";
import { binaryTypeOf, decodeTextChunks, encodeText, isTextType, textTypeOf } from "./grpc-web-text.ts";
import { BINARY_OPTIONS, excessOf } from "./message.ts";
import { type CheckedService, jsonOptionsOf } from "./method.ts";
import { STREAM_HEADERS } from "./stream-headers.ts";
import { StreamLifecycle, type StreamLifecycleOptions } from "./stream-lifecycle.ts";
import { capTimeouts } from "./timeout.ts";
import { type Validate, validationInterceptor } from "./validation.ts";
import { visibleHeaders } from "./visible-headers.ts";

// gzip for connect-es's handlers. Messages of streams may be long, so it runs on the thread pool. Decompression is limited.
const gzip = promisify(gzipWithCallback);
const gunzip = promisify(gunzipWithCallback);

/**
 * The only compression that the handlers support. `decompress` rejects with RESOURCE_EXHAUSTED if the result is too long, and
 * INVALID_ARGUMENT for invalid gzip.
 */
const gzipCompression: Compression = {
  name: "gzip",
  compress: (bytes) => gzip(bytes),
  async decompress(bytes, bytesMax) {
    if (bytes.byteLength === 0) {
      return new Uint8Array(0);
    }
    try {
      return await gunzip(bytes, { maxOutputLength: bytesMax });
    } catch (thrown) {
      const isTooLarge = thrown instanceof Error && "code" in thrown && thrown.code === "ERR_BUFFER_TOO_LARGE";
      throw isTooLarge
        ? new ConnectError(`message is larger than ${bytesMax} bytes after decompression`, Code.ResourceExhausted)
        : new ConnectError("decompression failed", Code.InvalidArgument);
    }
  },
};

/** Thrown for a message that is refused before it is parsed. */
class RefusedMessage extends Failure {
  readonly isRefusedMessage = true;
}

interface MessageChecks {
  /** The compression of messages that are marked as compressed. */
  readonly encoding: string | undefined;
  /** The longest message, before or after decompression. */
  readonly messageBytesMax: number;
  /** What is wrong with a decompressed message; undefined if nothing is. */
  check(message: Uint8Array): Problem | undefined;
}

/**
 * The body, in whole frames. Bytes that are not a frame, or cannot be decompressed here, are passed on unchanged: connect-es refuses them.
 * Throws a RefusedMessage.
 */
export async function* checkedMessages(
  chunks: AsyncIterable<Uint8Array>,
  checks: MessageChecks,
): AsyncGenerator<Uint8Array<ArrayBufferLike>> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  // Chunks are joined only once this much has arrived.
  let neededBytes = ENVELOPE_HEAD_BYTES;
  for await (const chunk of chunks) {
    pending.push(chunk);
    pendingBytes += chunk.byteLength;
    if (pendingBytes < neededBytes) {
      continue;
    }
    let bytes = Buffer.concat(pending);
    for (;;) {
      neededBytes = frameBytes(bytes, checks);
      if (bytes.length < neededBytes) {
        break;
      }
      yield await checked(bytes.subarray(0, neededBytes), checks);
      bytes = bytes.subarray(neededBytes);
    }
    pending = [bytes];
    pendingBytes = bytes.length;
  }
  if (pendingBytes > 0) {
    yield Buffer.concat(pending);
  }
}

// The length of the frame that begins here, or of its head if the head is incomplete.
function frameBytes(bytes: Buffer, { messageBytesMax }: MessageChecks): number {
  if (bytes.length < ENVELOPE_HEAD_BYTES) {
    return ENVELOPE_HEAD_BYTES;
  }
  const messageBytes = bytes.readUInt32BE(1);
  if (messageBytes > messageBytesMax) {
    throw new RefusedMessage(tooLarge(messageBytesMax));
  }
  return ENVELOPE_HEAD_BYTES + messageBytes;
}

async function checked(whole: Buffer, { encoding, messageBytesMax, check }: MessageChecks): Promise<Uint8Array> {
  const flags = whole.readUInt8(0);
  const isCompressed = flags === COMPRESSED_FLAG;
  if (flags > COMPRESSED_FLAG || (isCompressed && encoding !== "gzip")) {
    return whole;
  }
  const sent = whole.subarray(ENVELOPE_HEAD_BYTES);
  const message = isCompressed ? await gzipCompression.decompress(sent, messageBytesMax) : sent;
  const problem = check(message);
  if (problem !== undefined) {
    throw new RefusedMessage(problem);
  }
  return isCompressed ? frame(0, message) : whole;
}

// The last frame of a gRPC-Web stream, with the trailers, as connect-es writes it: in a separate chunk, one trailer per line.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
const MESSAGE_LINE = /^(grpc-message: )(.*)$/im;

/** The chunk, with only the escapes in its `grpc-message` that gRPC needs. Chunks without trailers are returned unchanged. */
function normalizeTrailers(chunk: Uint8Array): Uint8Array {
  const flags = chunk[0] ?? 0;
  if ((flags & TRAILER_FLAG) === 0) {
    return chunk;
  }
  const isCompressed = (flags & COMPRESSED_FLAG) !== 0;
  const data = chunk.subarray(ENVELOPE_HEAD_BYTES);
  const lines = Buffer.from(isCompressed ? gunzipSync(data) : data).toString();
  const tidied = Buffer.from(lines.replace(MESSAGE_LINE, (_, name: string, text: string) => name + withoutNeedlessEscapes(text)));
  return frame(flags, isCompressed ? compress(tidied) : tidied);
}

interface ConnectPipelineOptions extends StreamLifecycleOptions {
  readonly services: readonly CheckedService[];
  readonly validate: Validate;
  readonly limits: MessageLimits;
}

/** Runs admitted calls. Responds to each one, and never throws or rejects. */
export type ConnectPipeline = (operation: RpcStreamOperation) => void;

type Handler = ConnectRouter["handlers"][number];

const REFUSED_BY_CONNECT: Problem = { reason: "MALFORMED_REQUEST", message: "The request is not well-formed." };

export function createConnectPipeline(options: ConnectPipelineOptions): ConnectPipeline {
  const { services, validate, limits } = options;
  const common = {
    acceptCompression: [gzipCompression],
    jsonOptions: jsonOptionsOf(services),
    binaryOptions: BINARY_OPTIONS,
  };
  const router = createConnectRouter();
  for (const { desc, implementation, accessCheck } of services) {
    const { messageBytesMax } = accessCheck.messageLimits ?? limits;
    const interceptors = [createConnectInterceptor({ messageBytesMax, clock: options.clock }), validationInterceptor(validate)];
    // All options, because they replace those of the router.
    router.service(desc, withDryRuns(desc, implementation), { ...common, interceptors, readMaxBytes: messageBytesMax });
  }
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return (operation) => {
    // Every method has a handler, because methods and handlers are created from the same services.
    const handler = handlers.get(operation.method.path) as Handler;
    // The promise of `run` never rejects.
    new RpcStream(operation, handler, options).run();
  };
}

/** One admitted call, from the reading of its messages to its end. */
class RpcStream extends StreamLifecycle<RpcStreamOperation> {
  readonly #handler: Handler;
  readonly #options: ConnectPipelineOptions;
  // Whether connect-es has the request. From then on it writes the response.
  #isHandedOver = false;
  #response: ResponseStream | undefined;
  // connect-es only supports the binary form of gRPC-Web.
  readonly #isText: boolean;

  constructor(operation: RpcStreamOperation, handler: Handler, options: ConnectPipelineOptions) {
    super(operation, options);
    this.#isText = isTextType(mediaTypeOf(operation.exchange.headers["content-type"]));
    this.#handler = handler;
    this.#options = options;
  }

  async run(): Promise<void> {
    if (!this.begin()) {
      return;
    }
    const { exchange, codec, headers, method } = this.operation;
    const { messageBytesMax, isCallerKnown } = method.messageLimits;
    const room = exchange.reserveBody(messageBytesMax, isCallerKnown);
    if (room === undefined) {
      this.fail(noRoomForBody().fault);
      return;
    }
    exchange.onEnd(() => room.release());
    try {
      this.#isHandedOver = true;
      await this.#respond(this.#universalRequest(room));
    } catch (thrown) {
      this.#options.log.debug({ err: thrown, path: exchange.path }, "a response could not be sent completely");
      if (exchange.responded) {
        this.#response?.reset();
      } else {
        const problem = internalProblem(thrown);
        this.fail(problem);
        codec.fail(exchange, problem, headers);
      }
    }
  }

  // The request for connect-es, with `room` for its body.
  #universalRequest(room: BodyRoom): UniversalServerRequest {
    const { exchange } = this.operation;
    const header = visibleHeaders(exchange.headers);
    capTimeouts(header);
    if (this.#isText) {
      header.set("content-type", binaryTypeOf(mediaTypeOf(exchange.headers["content-type"])));
    }
    const { method } = this.operation;
    const sent = exchange.bodyChunks();
    const chunks = this.#isText ? decodeTextChunks(sent) : sent;
    return {
      // connect-es refuses bidirectional streams if the version is HTTP/1.1, although half-duplex ones work.
      httpVersion: "2",
      method: exchange.method,
      // Need not be valid: the handler has already been found, and connect-es does not parse the URL.
      url: urlOf(exchange),
      header,
      // A single message is kept whole in memory. In a stream of messages, each is released when the next arrives.
      body: this.#checked(bodyWithFailures(method.desc.methodKind === "server_streaming" ? withinRoom(chunks, room) : chunks)),
      signal: this.signal,
      contextValues: new CallerValues(this.operation).set(streamKey, this),
    };
  }

  // Unary calls have no frames in Connect; they get here only if all calls are sent through this pipeline, to compare it with the unary
  // one.
  #checked(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const { exchange, method } = this.operation;
    if (method.desc.methodKind === "unary") {
      return body;
    }
    const form = mediaTypeOf(exchange.headers["content-type"]).endsWith("json") ? "json" : "proto";
    return checkedMessages(body, {
      encoding: codingOf(exchange.headers["connect-content-encoding"] ?? exchange.headers["grpc-encoding"]),
      messageBytesMax: method.messageLimits.messageBytesMax,
      check: (message) => excessOf(method.desc.input, form, message),
    });
  }

  // Writes connect-es's response. The interceptor settles the call before connect-es makes the last chunk. Before that chunk is
  // sent, the rest of the request body is read and discarded. If the call is not settled at the end, connect-es has refused the
  // request's head or bytes without calling the interceptor.
  async #respond(request: UniversalServerRequest): Promise<void> {
    const { exchange } = this.operation;
    const connectResponse = await this.#handler(request);
    let discarded: Promise<void> | undefined;
    for await (const chunk of connectResponse.body ?? []) {
      if (this.ended) {
        discarded ??= exchange.discardBody();
        await discarded;
      }
      const response = this.#open(connectResponse);
      const tidy = this.operation.protocolName === "grpc-web" ? normalizeTrailers(chunk) : chunk;
      await response.write(this.#isText ? encodeText(tidy) : tidy);
      if (response.ended) {
        return;
      }
    }
    this.fail(REFUSED_BY_CONNECT);
    await (discarded ?? exchange.discardBody());
    const trailers = connectResponse.trailer && trailersOf(connectResponse.trailer);
    if (this.#response === undefined && trailers !== undefined && mayBeTrailersOnly(connectResponse.header, trailers)) {
      exchange.respond(connectResponse.status, { ...this.operation.headers, ...recordOf(connectResponse.header), ...trailers }, "");
    } else {
      this.#open(connectResponse).end(undefined, trailers);
    }
  }

  // Sends the head before the first chunk, because the handler may set headers until then.
  #open({ status, header }: UniversalServerResponse): ResponseStream {
    if (this.#response === undefined) {
      const { exchange, headers, method } = this.operation;
      const isStream = method.desc.methodKind !== "unary";
      const all: ResponseHeaders = { ...headers, ...recordOf(header), ...(isStream && STREAM_HEADERS) };
      if (this.#isText) {
        all["content-type"] = textTypeOf(String(all["content-type"]));
      }
      this.#response = exchange.openResponse(status, all, this.signal);
    }
    return this.#response;
  }

  protected override respondWithFailure(problem: Problem): void {
    super.respondWithFailure(problem);
    if (!this.#isHandedOver) {
      this.sendFailure(problem, undefined);
    }
  }
}

function trailersOf(trailer: Headers): Record<string, string> {
  const trailers = recordOf(trailer) as Record<string, string>;
  const message = trailers["grpc-message"];
  return message === undefined ? trailers : { ...trailers, "grpc-message": withoutNeedlessEscapes(message) };
}

// The headers and trailers of a gRPC failure that do not come from a handler.
const OWN_NAME = /^(?:content-type|retry-after|allow|link|grpc-.+)$/;

// Whether the response is trailers-only: everything goes into the head. gRPC clients that retry automatically take any other head for the
// beginning of a response, and do not retry. What a handler has set stays where it was set.
// https://github.com/grpc/proposal/blob/master/A6-client-retries.md#when-retries-are-valid
function mayBeTrailersOnly(header: Headers | undefined, trailers: Readonly<Record<string, string>>): boolean {
  const names = [...(header?.keys() ?? []), ...Object.keys(trailers)];
  return trailers["grpc-status"] !== "0" && names.every((name) => OWN_NAME.test(name));
}

function recordOf(headers: Headers | undefined): ResponseHeaders {
  const all: ResponseHeaders = Object.fromEntries(headers ?? []);
  const cookies = headers?.getSetCookie() ?? [];
  return cookies.length > 0 ? { ...all, "set-cookie": cookies } : all;
}

// Connect's unary protocol: one message without an envelope each way, over POST in the body or over GET in the query. A failure is
// JSON, with the HTTP status from Connect's table. Trailers are headers with a prefix.
// https://connectrpc.com/docs/protocol#unary-rpcs

import type { Message } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import type { Exchange, ResponseHeaders } from "@quintet/http";
import { CODE_NAMES, CONNECT_HTTP_STATUSES } from "../../../problem/code.ts";
import { Failure, malformed } from "../../../problem/failure.ts";
import { challengeHeaders, problemHeaders } from "../../../problem/headers.ts";
import { codeOf, type Problem } from "../../../problem/problem.ts";
import { acceptsGzip } from "../../media-type.ts";
import type { Codec, EncodedResponse, MessageLimits } from "../codec.ts";
import { COMPRESS_BYTES_MIN, compress, decompress, requireEncoding, tooLarge } from "../compression.ts";
import { frame } from "../envelope.ts";
import { base64OfBytes, errorDetails } from "../error-details.ts";
import { whenResolved } from "../invoke.ts";
import { type Form, parseMessage, writeMessage } from "../message.ts";
import type { Method } from "../method.ts";
import { addMetadata, type HandlerMetadata, ownHeaders, responseHeaders, varyBy } from "../response-metadata.ts";
import { parseConnectTimeoutMs } from "../timeout.ts";

// The flag of a Connect stream's last frame: https://connectrpc.com/docs/protocol#streaming-rpcs
const END_STREAM_FLAG = 0b0000_0010;

// Trailers are headers: https://connectrpc.com/docs/protocol#unary-response
const TRAILER_PREFIX = "trailer-";

// UPSTREAM_FAILED is 502 in REST, where nothing says when to retry, but 503 by Connect's table. Every 503 says so.
const DEFAULT_RETRY_S = "1";

// Constants, not strings built for each response, because the transport finds constants faster in its cache of encoded headers.
const CONTENT_TYPES: Readonly<Record<Form, string>> = { proto: "application/proto", json: "application/json" };

/** A problem as Connect's error in JSON: https://connectrpc.com/docs/protocol#error-end-stream */
function connectErrorJson(problem: Problem): string {
  const details = errorDetails(problem).map(({ type, bytes, debug }) => ({ type, value: base64OfBytes(bytes), debug }));
  const message = problem.originalError?.rawMessage ?? problem.message;
  return JSON.stringify({ code: CODE_NAMES[codeOf(problem)], message, details });
}

/** Responds with a problem. Also works for a call to an unknown method. */
export function failConnect(exchange: Exchange, problem: Problem, headers: ResponseHeaders, metadata?: HandlerMetadata): void {
  // Connect's table has 501 for an unknown method. For an unknown path its servers send 404, and its clients expect that.
  const isPathUnknown = problem.reason === "METHOD_UNKNOWN" && problem.originalError === undefined;
  const status = isPathUnknown ? 404 : CONNECT_HTTP_STATUSES[codeOf(problem)];
  const own: ResponseHeaders = {
    ...(status === 503 && { "retry-after": DEFAULT_RETRY_S }),
    ...problemHeaders(problem),
    ...challengeHeaders(problem),
    "content-type": "application/json",
  };
  if (problem.reason === "ENCODING_UNKNOWN") {
    own["accept-encoding"] = problem.acceptedEncoding ?? "gzip";
  }
  const all = responseHeaders(own, headers, metadata?.headersSet);
  addMetadata(all, problem.originalError?.metadata);
  addMetadata(all, metadata?.trailersSet, TRAILER_PREFIX);
  const body = connectErrorJson(problem);
  exchange.respond(status, all, body);
}

/** Responds to a call to a streaming method with a problem: status 200, and the error in the only frame of the stream. */
export function failConnectStream(exchange: Exchange, problem: Problem, headers: ResponseHeaders, form: Form): void {
  const end = frame(END_STREAM_FLAG, Buffer.from(`{"error":${connectErrorJson(problem)}}`));
  exchange.respond(200, { ...headers, ...problemHeaders(problem), "content-type": `application/connect+${form}` }, end);
}

/** What the codecs for POST and GET have in common. */
abstract class ConnectCodec implements Codec {
  readonly protocolName = "connect";
  protected readonly method: Method;
  protected readonly form: Form;

  constructor(method: Method, form: Form) {
    this.method = method;
    this.form = form;
  }

  timeoutMs(exchange: Exchange): number | undefined {
    const header = exchange.headers["connect-timeout-ms"];
    return header === undefined ? undefined : parseConnectTimeoutMs(header);
  }

  abstract read(exchange: Exchange, limits: MessageLimits): Message | Promise<Message>;

  write(exchange: Exchange, output: Message, headers: ResponseHeaders, metadata: HandlerMetadata): EncodedResponse {
    let body = writeMessage(this.method, this.form, output);
    const isCompressed = body.byteLength >= COMPRESS_BYTES_MIN && acceptsGzip(exchange.headers["accept-encoding"]);
    if (isCompressed) {
      body = compress(body);
    }
    const all = ownHeaders(headers, metadata);
    all["content-type"] = CONTENT_TYPES[this.form];
    all.vary = varyBy("accept-encoding", headers);
    if (isCompressed) {
      all["content-encoding"] = "gzip";
    }
    addMetadata(all, metadata.headersSet);
    addMetadata(all, metadata.trailersSet, TRAILER_PREFIX);
    return { status: 200, headers: all, body };
  }

  fail(exchange: Exchange, problem: Problem, headers: ResponseHeaders, metadata?: HandlerMetadata): void {
    failConnect(exchange, problem, headers, metadata);
  }
}

/** The codec of one method over POST, for one form of its messages. */
export class ConnectPostCodec extends ConnectCodec {
  read(exchange: Exchange, limits: MessageLimits): Message | Promise<Message> {
    const version = exchange.headers["connect-protocol-version"];
    if (version !== undefined && version !== "1") {
      throw malformed("The connect-protocol-version header must be 1 if it is given.");
    }
    const encoding = exchange.headers["content-encoding"];
    requireEncoding(encoding, limits);
    return whenResolved(exchange.readBody(limits.bodyBytesMax, limits.isCallerKnown), (body) =>
      parseMessage(this.method, this.form, decompress(body, encoding, limits)),
    );
  }
}

/** The codec of one method over GET, for one form of its messages. */
export class ConnectGetCodec extends ConnectCodec {
  read(exchange: Exchange, limits: MessageLimits): Message {
    const { messageBytesMax } = limits;
    const query = new URLSearchParams(exchange.query);
    const version = query.get("connect");
    if (version !== null && version !== "v1") {
      throw malformed("The connect parameter must be v1 if it is given.");
    }
    const text = query.get("message");
    // In binary, an empty message is valid: all of its fields are unset.
    if (text === null && this.form === "json") {
      throw malformed("Connect's GET needs the parameter message: the request as JSON.");
    }
    const bytes = query.get("base64") === "1" ? base64Bytes(text ?? "") : new TextEncoder().encode(text ?? "");
    const data = decompress(bytes, query.get("compression") ?? undefined, limits);
    if (data.byteLength > messageBytesMax) {
      throw new Failure(tooLarge(messageBytesMax));
    }
    return parseMessage(this.method, this.form, data);
  }
}

function base64Bytes(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch {
    throw malformed("The message parameter must be base64 if base64=1 is given.");
  }
}

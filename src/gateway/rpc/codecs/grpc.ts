// gRPC over HTTP/2: one message in an envelope each way, and the status in trailers. A failure has HTTP status 200, since clients
// read a bare 429 or 502 as UNAVAILABLE and retry. It is trailers-only, unless the handler has set headers or trailers.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md

import type { Message } from "@bufbuild/protobuf";
import type { Exchange, ResponseHeaders } from "@quintet/http";
import { problemHeaders } from "../../../problem/headers.ts";
import type { Problem } from "../../../problem/problem.ts";
import { acceptsGzip } from "../../media-type.ts";
import type { Codec, EncodedResponse, MessageLimits } from "../codec.ts";
import { requireEncoding } from "../compression.ts";
import { ENVELOPE_HEAD_BYTES, readEnvelope, writeEnvelope } from "../envelope.ts";
import { GRPC_STATUS_OK, grpcAcceptEncoding, grpcStatusOf } from "../grpc-status.ts";
import { whenResolved } from "../invoke.ts";
import { type Form, parseMessage, writeMessage } from "../message.ts";
import type { Method } from "../method.ts";
import { addMetadata, failureTrailers, type HandlerMetadata, ownHeaders, responseHeaders } from "../response-metadata.ts";
import { parseGrpcTimeoutMs } from "../timeout.ts";

// Constants, not strings built for each response, because the transport finds constants faster in its cache of encoded headers.
const CONTENT_TYPES: Readonly<Record<Form, string>> = { proto: "application/grpc+proto", json: "application/grpc+json" };

/** Responds with a problem. Also works for a call to an unknown method. */
export function failGrpc(
  exchange: Exchange,
  problem: Problem,
  headers: ResponseHeaders,
  form: Form,
  metadata?: HandlerMetadata,
): void {
  const own = { "content-type": CONTENT_TYPES[form], ...problemHeaders(problem), ...grpcAcceptEncoding(problem) };
  const trailers = failureTrailers(grpcStatusOf(problem), problem, metadata);
  if (metadata?.hasMetadata) {
    exchange.respond(200, responseHeaders(own, headers, metadata.headersSet), "", trailers);
  } else {
    exchange.respond(200, { ...headers, ...own, ...trailers }, "");
  }
}

/** The codec of one method, for one form of its messages. */
export class GrpcCodec implements Codec {
  readonly protocolName = "grpc";
  readonly #method: Method;
  readonly #form: Form;

  constructor(method: Method, form: Form) {
    this.#method = method;
    this.#form = form;
  }

  timeoutMs(exchange: Exchange): number | undefined {
    const header = exchange.headers["grpc-timeout"];
    return header === undefined ? undefined : parseGrpcTimeoutMs(header);
  }

  read(exchange: Exchange, limits: MessageLimits): Message | Promise<Message> {
    const encoding = exchange.headers["grpc-encoding"];
    requireEncoding(encoding, limits);
    return whenResolved(exchange.readBody(limits.bodyBytesMax, limits.isCallerKnown, ENVELOPE_HEAD_BYTES), (body) =>
      parseMessage(this.#method, this.#form, readEnvelope(body, encoding, limits)),
    );
  }

  write(exchange: Exchange, output: Message, headers: ResponseHeaders, metadata: HandlerMetadata): EncodedResponse {
    const gzip = acceptsGzip(exchange.headers["grpc-accept-encoding"]);
    const body = writeEnvelope(writeMessage(this.#method, this.#form, output), gzip);
    const all = ownHeaders(headers, metadata);
    all["content-type"] = CONTENT_TYPES[this.#form];
    if (gzip) {
      all["grpc-encoding"] = "gzip";
    }
    addMetadata(all, metadata.headersSet);
    let trailers = GRPC_STATUS_OK;
    if (metadata.trailersSet !== undefined) {
      trailers = { ...GRPC_STATUS_OK };
      addMetadata(trailers as ResponseHeaders, metadata.trailersSet);
    }
    return { status: 200, headers: all, body, trailers };
  }

  fail(exchange: Exchange, problem: Problem, headers: ResponseHeaders, metadata?: HandlerMetadata): void {
    failGrpc(exchange, problem, headers, this.#form, metadata);
  }
}

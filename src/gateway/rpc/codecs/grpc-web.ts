// gRPC-Web, binary and text: gRPC's envelopes, with the trailers as the last frame of the body. In the text form the body is
// base64. A failure has HTTP status 200, and its trailers are in the head, unless the handler has set headers or trailers.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md

import type { Message } from "@bufbuild/protobuf";
import type { Exchange, ResponseHeaders } from "@quintet/http";
import { problemHeaders } from "../../../problem/headers.ts";
import type { Problem } from "../../../problem/problem.ts";
import { acceptsGzip } from "../../media-type.ts";
import type { Codec, EncodedResponse, MessageLimits } from "../codec.ts";
import { requireEncoding } from "../compression.ts";
import { ENVELOPE_HEAD_BYTES, frame, readEnvelope, TRAILER_FLAG, writeEnvelope } from "../envelope.ts";
import { GRPC_STATUS_OK, grpcAcceptEncoding, grpcStatusOf } from "../grpc-status.ts";
import { decodeText, encodeText, isTextType, textTypeOf } from "../grpc-web-text.ts";
import { whenResolved } from "../invoke.ts";
import { type Form, parseMessage, writeMessage } from "../message.ts";
import type { Method } from "../method.ts";
import { addMetadata, failureTrailers, type HandlerMetadata, ownHeaders, responseHeaders } from "../response-metadata.ts";
import { parseGrpcTimeoutMs } from "../timeout.ts";

/** How the body is sent: as bytes, or as base64 for clients that cannot read bytes as they arrive. */
export type Transfer = "binary" | "text";

function contentTypeOf(form: Form, transfer: Transfer): string {
  const binaryType = `application/grpc-web+${form}`;
  return transfer === "text" ? textTypeOf(binaryType) : binaryType;
}

/** Responds with a problem. Also works for a call to an unknown method. */
export function failGrpcWeb(
  exchange: Exchange,
  problem: Problem,
  headers: ResponseHeaders,
  contentType: string,
  metadata?: HandlerMetadata,
): void {
  const own = { "content-type": contentType, ...problemHeaders(problem), ...grpcAcceptEncoding(problem) };
  const trailers = failureTrailers(grpcStatusOf(problem), problem, metadata);
  if (metadata?.hasMetadata) {
    const body = trailerFrame(trailers);
    const sent = isTextType(contentType) ? encodeText(body) : body;
    exchange.respond(200, responseHeaders(own, headers, metadata.headersSet), sent);
  } else {
    exchange.respond(200, { ...headers, ...own, ...trailers }, "");
  }
}

function trailerFrame(trailers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}\r\n`);
  return frame(TRAILER_FLAG, Buffer.from(lines.join("")));
}

const OK_TRAILER_FRAME = trailerFrame(GRPC_STATUS_OK);

/** The codec of one method, for one form of its messages and one transfer. */
export class GrpcWebCodec implements Codec {
  readonly protocolName = "grpc-web";
  readonly #method: Method;
  readonly #form: Form;
  readonly #transfer: Transfer;
  readonly #contentType: string;

  constructor(method: Method, form: Form, transfer: Transfer) {
    this.#method = method;
    this.#form = form;
    this.#transfer = transfer;
    this.#contentType = contentTypeOf(form, transfer);
  }

  timeoutMs(exchange: Exchange): number | undefined {
    const header = exchange.headers["grpc-timeout"];
    return header === undefined ? undefined : parseGrpcTimeoutMs(header);
  }

  read(exchange: Exchange, limits: MessageLimits): Message | Promise<Message> {
    const encoding = exchange.headers["grpc-encoding"];
    requireEncoding(encoding, limits);
    const { bodyBytesMax, isCallerKnown } = limits;
    const isText = this.#transfer === "text";
    const framedBytesMax = bodyBytesMax + ENVELOPE_HEAD_BYTES;
    const sentBytesMax = isText ? Math.ceil(framedBytesMax / 3) * 4 : framedBytesMax;
    return whenResolved(exchange.readBody(bodyBytesMax, isCallerKnown, sentBytesMax - bodyBytesMax), (body) =>
      parseMessage(this.#method, this.#form, readEnvelope(isText ? decodeText(body) : body, encoding, limits)),
    );
  }

  write(exchange: Exchange, output: Message, headers: ResponseHeaders, metadata: HandlerMetadata): EncodedResponse {
    const gzip = acceptsGzip(exchange.headers["grpc-accept-encoding"]);
    const message = writeEnvelope(writeMessage(this.#method, this.#form, output), gzip);
    let trailers = OK_TRAILER_FRAME;
    if (metadata.trailersSet !== undefined) {
      const withMetadata: ResponseHeaders = { ...GRPC_STATUS_OK };
      addMetadata(withMetadata, metadata.trailersSet);
      trailers = trailerFrame(withMetadata as Record<string, string>);
    }
    const all = ownHeaders(headers, metadata);
    all["content-type"] = this.#contentType;
    if (gzip) {
      all["grpc-encoding"] = "gzip";
    }
    addMetadata(all, metadata.headersSet);
    const body = Buffer.concat([message, trailers]);
    const sent = this.#transfer === "text" ? encodeText(body) : body;
    return { status: 200, headers: all, body: sent };
  }

  fail(exchange: Exchange, problem: Problem, headers: ResponseHeaders, metadata?: HandlerMetadata): void {
    failGrpcWeb(exchange, problem, headers, this.#contentType, metadata);
  }
}

// REST: the input comes from the path, the query and a body of JSON or a form; the response is the envelope, whether the call
// succeeds or fails.

import type { Message } from "@bufbuild/protobuf";
import { type Exchange, type ResponseHeaders, sized } from "@quintet/http";
import { challengeHeaders, problemHeaders } from "../../problem/headers.ts";
import type { Problem } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import { acceptsGzip, acceptsJson, preferredOf } from "../media-type.ts";
import { DRY_RUN_HEADERS, DRY_RUN_MESSAGE } from "../operation.ts";
import type { Codec, EncodedResponse, MessageLimits } from "../rpc/codec.ts";
import { COMPRESS_BYTES_MIN, compress, decompress, requireEncoding } from "../rpc/compression.ts";
import { whenResolved } from "../rpc/invoke.ts";
import { addMetadata, type HandlerMetadata, ownHeaders, responseHeaders, varyBy } from "../rpc/response-metadata.ts";
import { parseServerTimeoutMs } from "../rpc/timeout.ts";
import { CSV } from "./csv.ts";
import { writeProblem } from "./problem-envelope.ts";
import type { Route } from "./routes.ts";
import { writeEmptySuccess } from "./success.ts";

const JSON_TYPE = "application/json";
const CONTENT_TYPE = `${JSON_TYPE}; charset=utf-8`;
// A browser that opens a response, or is tricked into loading it as a script, must not guess its type.
const CONTENT_TYPE_OPTIONS = "nosniff";

/** The type of a successful response to a route: JSON, or CSV if the caller prefers it. Undefined if neither is accepted. */
export function acceptedType({ headers: { accept } }: Exchange, { writeTable }: Route): string | undefined {
  if (writeTable === undefined) {
    return acceptsJson(accept) ? JSON_TYPE : undefined;
  }
  return preferredOf(accept, JSON_TYPE, CSV);
}

/** Responds with a problem. Also works for an unknown path. */
export function failRest(
  exchange: Exchange,
  problem: Problem,
  headers: ResponseHeaders,
  clock: Clock,
  metadata?: HandlerMetadata,
): void {
  const { status, body } = writeProblem(problem, { nowMs: clock.nowMs(), requestId: exchange.requestId });
  const own: ResponseHeaders = {
    ...problemHeaders(problem),
    ...challengeHeaders(problem),
    "content-type": CONTENT_TYPE,
    "x-content-type-options": CONTENT_TYPE_OPTIONS,
  };
  if (problem.reason === "ENCODING_UNKNOWN") {
    own["accept-encoding"] = problem.acceptedEncoding ?? "gzip";
  }
  exchange.respond(status, responseHeaders(own, headers, metadata?.headersSet), body);
}

/** The codec of one request to a route, with the values from its path. */
export class RestCodec implements Codec {
  readonly protocolName = "rest";
  readonly #route: Route;
  readonly #pathValues: readonly string[];
  readonly #bodyType: "json" | "form";
  readonly #clock: Clock;

  constructor(route: Route, pathValues: readonly string[], bodyType: "json" | "form", clock: Clock) {
    this.#route = route;
    this.#pathValues = pathValues;
    this.#bodyType = bodyType;
    this.#clock = clock;
  }

  timeoutMs(exchange: Exchange): number | undefined {
    const header = exchange.headers["x-server-timeout"];
    return header === undefined ? undefined : parseServerTimeoutMs(header);
  }

  read(exchange: Exchange, limits: MessageLimits): Message | Promise<Message> {
    if (!exchange.hasBody) {
      return this.#bind(exchange, undefined);
    }
    const encoding = exchange.headers["content-encoding"];
    requireEncoding(encoding, limits);
    return whenResolved(exchange.readBody(limits.bodyBytesMax, limits.isCallerKnown), (body) =>
      this.#bind(exchange, decompress(body, encoding, limits)),
    );
  }

  #bind({ query }: Exchange, body: Uint8Array | undefined): Message {
    return this.#route.bind({ pathValues: this.#pathValues, query, body, bodyType: this.#bodyType });
  }

  write(exchange: Exchange, output: Message, headers: ResponseHeaders, metadata: HandlerMetadata): EncodedResponse {
    const { writeSuccess, writeTable } = this.#route;
    const isTable = writeTable !== undefined && acceptedType(exchange, this.#route) === CSV;
    const written = isTable
      ? sized(writeTable(output))
      : writeSuccess(output, { nowMs: this.#clock.nowMs(), requestId: exchange.requestId });
    const isCompressed = written.bytes >= COMPRESS_BYTES_MIN && acceptsGzip(exchange.headers["accept-encoding"]);
    const body = isCompressed ? compress(Buffer.from(written.text)) : written;
    const all = ownHeaders(headers, metadata);
    all["content-type"] = isTable ? `${CSV}; charset=utf-8; header=present` : CONTENT_TYPE;
    all["x-content-type-options"] = CONTENT_TYPE_OPTIONS;
    all.vary = varyBy(writeTable === undefined ? "accept-encoding" : "accept, accept-encoding", headers);
    if (isCompressed) {
      all["content-encoding"] = "gzip";
    }
    if (exchange.hasBody && exchange.method !== "POST") {
      // Caches store a response under its URL, which does not include the body.
      all["cache-control"] = "no-store";
    }
    addMetadata(all, metadata.headersSet);
    return { status: 200, headers: all, body };
  }

  writeDryRun(exchange: Exchange, headers: ResponseHeaders): EncodedResponse {
    const body = writeEmptySuccess(DRY_RUN_MESSAGE, { nowMs: this.#clock.nowMs(), requestId: exchange.requestId });
    const own = { "content-type": CONTENT_TYPE, "x-content-type-options": CONTENT_TYPE_OPTIONS, ...DRY_RUN_HEADERS };
    return { status: 200, headers: responseHeaders(own, headers, undefined), body };
  }

  fail(exchange: Exchange, problem: Problem, headers: ResponseHeaders, metadata?: HandlerMetadata): void {
    failRest(exchange, problem, headers, this.#clock, metadata);
  }
}

// Combines a response's headers and trailers: the protocol's, the gateway's, and those that the handler has set. A handler's
// header never replaces another, and is left out if its name belongs to HTTP or to a protocol.

import { CONNECTION_SPECIFIC, checkHeaderValue, type ResponseHeaders } from "@quintet/http";
import type { Problem } from "../../problem/problem.ts";

/** What a handler has set on its call's context for the response. */
export interface HandlerMetadata {
  /** Undefined if the handler has not used the headers. */
  readonly headersSet: Headers | undefined;
  /** Undefined if the handler has not used the trailers. */
  readonly trailersSet: Headers | undefined;
  /** Whether the handler has set any headers or trailers. */
  readonly hasMetadata: boolean;
}

/** The metadata of a call whose handler was not called. */
export const NO_METADATA: HandlerMetadata = { headersSet: undefined, trailersSet: undefined, hasMetadata: false };

// These describe how the response is sent, which only the protocol knows: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
const HTTP_HEADERS: ReadonlySet<string> = new Set([
  ...CONNECTION_SPECIFIC,
  "content-encoding",
  "content-length",
  "content-type",
  "http2-settings",
  "te",
  "trailer",
]);
// The headers of Connect and gRPC.
const PROTOCOL_HEADERS = /^(?:grpc-(?:status|message|status-details-bin|encoding|accept-encoding)|connect-.+|accept-encoding)$/;

/**
 * Adds what a handler has set, each name prefixed with `prefix`. Several values of a name are joined by commas, except cookies.
 * Throws for a value that the transport would refuse to send, because the call is not settled yet at this point.
 */
export function addMetadata(target: ResponseHeaders, set: Headers | undefined, prefix = ""): void {
  if (set === undefined) {
    return;
  }
  for (const [plain, value] of set) {
    const name = prefix + plain;
    if (HTTP_HEADERS.has(plain) || PROTOCOL_HEADERS.test(plain)) {
      continue;
    }
    checkHeaderValue(name, value);
    if (plain === "set-cookie") {
      target[name] = set.getSetCookie();
    } else {
      target[name] ??= value;
    }
  }
}

/**
 * The headers of a successful response, to which the protocol then adds its own. What the handler has set may turn out to be invalid, and
 * must not end up in a failure; if it has set nothing, no copy is made.
 */
export const ownHeaders = (headers: ResponseHeaders, { headersSet, trailersSet }: HandlerMetadata): ResponseHeaders =>
  headersSet === undefined && trailersSet === undefined ? headers : { ...headers };

export function responseHeaders(own: ResponseHeaders, headers: ResponseHeaders, set: Headers | undefined): ResponseHeaders {
  const all: ResponseHeaders = { ...headers, ...own };
  if (own.vary !== undefined) {
    all.vary = varyBy(own.vary as string, headers);
  }
  addMetadata(all, set);
  return all;
}

// The last combination. All responses of a route have the same one, and comparing identical strings is fast.
let vary = { own: "", others: "", joined: ", " };

/** The `vary` of a response that depends on this request header, in addition to those in `headers`. */
export function varyBy(own: string, { vary: others }: ResponseHeaders): string {
  if (typeof others !== "string") {
    return own;
  }
  if (vary.own !== own || vary.others !== others) {
    vary = { own, others, joined: [others, own].join(", ") };
  }
  return vary.joined;
}

/** A failure's trailers: its status, the metadata of a ConnectError that was thrown, and what the handler has set. */
export function failureTrailers(
  status: Readonly<Record<string, string>>,
  { originalError }: Problem,
  metadata: HandlerMetadata | undefined,
): Record<string, string> {
  const all: ResponseHeaders = { ...status };
  addMetadata(all, originalError?.metadata);
  addMetadata(all, metadata?.trailersSet);
  return all as Record<string, string>;
}

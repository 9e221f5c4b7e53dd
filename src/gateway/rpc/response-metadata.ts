// Puts an answer's headers and trailers together: the protocol's own, then the pipeline's, then what the handler set, which replaces none
// of those, and none that belong to HTTP itself.
import { validateHeaderValue } from "node:http";
import type { ResponseHeaders } from "../../http/headers.ts";
import type { Problem } from "../../problem/problem.ts";

/** What a handler has set on its call's context for the answer. */
export interface HandlerMetadata {
  /** Undefined where the handler has not asked for the headers. */
  readonly headersSet: Headers | undefined;
  /** Undefined where the handler has not asked for the trailers. */
  readonly trailersSet: Headers | undefined;
  /** Whether there is either. */
  readonly hasMetadata: boolean;
}

// A handler's answer is framed by its protocol: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
const OF_HTTP: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
// Those of Connect's and gRPC's own that a handler could mistake for metadata.
const OF_PROTOCOLS = /^(?:grpc-(?:status|message|status-details-bin|encoding|accept-encoding)|connect-.+|accept-encoding)$/;

/**
 * Adds what a handler set, each name with `prefix` before it. Several values of a name are one, joined by commas; only cookies are not.
 * Throws where Node would refuse a value when it is sent, which is after the call has been settled.
 */
export function addMetadata(target: ResponseHeaders, set: Headers | undefined, prefix = ""): void {
  if (set === undefined) {
    return;
  }
  for (const [plain, value] of set) {
    const name = prefix + plain;
    if (OF_HTTP.has(plain) || OF_PROTOCOLS.test(plain)) {
      continue;
    }
    validateHeaderValue(name, value);
    if (plain === "set-cookie") {
      target[name] = set.getSetCookie();
    } else {
      target[name] ??= value;
    }
  }
}

/** An answer's headers. */
export function responseHeaders(own: ResponseHeaders, headers: ResponseHeaders, set: Headers | undefined): ResponseHeaders {
  const all: ResponseHeaders = { ...headers, ...own };
  if (own.vary !== undefined && headers.vary !== undefined) {
    all.vary = `${headers.vary}, ${own.vary}`;
  }
  addMetadata(all, set);
  return all;
}

/** A failure's trailers: its status, what an error of Connect's own brings along, and what the handler had set. */
export function failureTrailers(
  status: Readonly<Record<string, string>>,
  { asThrown }: Problem,
  metadata: HandlerMetadata | undefined,
): Record<string, string> {
  const all: ResponseHeaders = { ...status };
  addMetadata(all, asThrown?.metadata);
  addMetadata(all, metadata?.trailersSet);
  return all as Record<string, string>;
}

/**
 * A body as it may stand beside what a handler has set: Node writes a text and the head before it as one, in UTF-8, and a header's letters
 * outside ASCII are in latin1.
 */
export function encodeBody(body: Uint8Array | string, metadata: HandlerMetadata | undefined): Uint8Array | string {
  return typeof body === "string" && metadata?.hasMetadata ? Buffer.from(body) : body;
}

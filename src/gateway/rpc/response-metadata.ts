// Puts an answer's headers and trailers together: the protocol's, the gateway's, and those that the handler has set. A handler's header never
// replaces another, and is left out where its name belongs to HTTP or to a protocol.
import { checkHeaderValue, type ResponseHeaders } from "../../http/headers.ts";
import type { Problem } from "../../problem/problem.ts";

/** What a handler has set on its call's context for the answer. */
export interface HandlerMetadata {
  /** Undefined where the handler has not asked for the headers. */
  readonly headersSet: Headers | undefined;
  /** Undefined where the handler has not asked for the trailers. */
  readonly trailersSet: Headers | undefined;
  /** Whether the handler has set any. */
  readonly hasMetadata: boolean;
}

/** That of a handler that was not called. */
export const NO_METADATA: HandlerMetadata = { headersSet: undefined, trailersSet: undefined, hasMetadata: false };

// These describe how the answer is sent, which only the protocol knows: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
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
// Those that belong to Connect and gRPC.
const OF_PROTOCOLS = /^(?:grpc-(?:status|message|status-details-bin|encoding|accept-encoding)|connect-.+|accept-encoding)$/;

/**
 * Adds what a handler has set, each name with `prefix` before it. Several values of a name are joined by commas, except cookies. Throws for a
 * value that the transport would refuse to send: here that is still before the call is settled.
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
    checkHeaderValue(name, value);
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
  if (own.vary !== undefined) {
    all.vary = varyBy(own.vary as string, headers);
  }
  addMetadata(all, set);
  return all;
}

// What was put together last. All answers of a route have the same, and a text that is the same object is compared at once.
let vary = { own: "", others: "", joined: ", " };

/** The `vary` of an answer that depends on this request header, and has these headers besides. */
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
  { asThrown }: Problem,
  metadata: HandlerMetadata | undefined,
): Record<string, string> {
  const all: ResponseHeaders = { ...status };
  addMetadata(all, asThrown?.metadata);
  addMetadata(all, metadata?.trailersSet);
  return all as Record<string, string>;
}

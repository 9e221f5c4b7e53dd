// Cross-origin calls from browsers. Any page may call, because a call needs a key or a session's token in a header, and cookies are not
// accepted from other origins. So a page can do no more than its own server could. https://fetch.spec.whatwg.org/#http-cors-protocol
import { cors } from "@connectrpc/connect";
import type { Exchange, ResponseHeaders } from "@quintet/http";
import type { AddTransportSecurity } from "./transport-security.ts";

// What a page may send: all that the server reads and a page can set, which a test compares. `baggage` is not read, but a page that is
// traced by OpenTelemetry adds it to every call.
const REQUEST_HEADERS = [
  ...cors.allowedHeaders,
  "X-Gateway-Key",
  "Authorization",
  "Idempotency-Key",
  "X-Request-Id",
  "X-Server-Timeout",
  "X-Quintet-Account",
  "X-Quintet-Dry-Run",
  "Grpc-Accept-Encoding",
  "Grpc-Encoding",
  "If-None-Match",
  "Traceparent",
  "Tracestate",
  "Baggage",
  "Mcp-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
];
const EXPOSED_HEADERS = [
  ...cors.exposedHeaders,
  "X-Request-Id",
  "RateLimit-Policy",
  "RateLimit",
  "Retry-After",
  "Grpc-Retry-Pushback-Ms",
  "Allow",
  "Link",
  "Age",
  "Deprecation",
  "Sunset",
  "ETag",
  "WWW-Authenticate",
  "X-Quintet-Stale",
  "X-Quintet-Data",
  "X-Quintet-Dry-Run",
].join(", ");
/** How long a browser may cache a preflight response: two hours, the most that Chromium accepts. */
const PREFLIGHT_SECONDS = 7200;

const PREFLIGHT_HEADERS: ResponseHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": [...cors.allowedMethods, "PUT", "PATCH", "DELETE"].join(", "),
  "access-control-allow-headers": REQUEST_HEADERS.join(", "),
  "access-control-max-age": String(PREFLIGHT_SECONDS),
};

/**
 * Adds the headers that let a page read a response. Callers that are not pages get only `vary`, and not even that for POST, because caches
 * do not store its responses.
 */
export function addCorsHeaders(target: ResponseHeaders, { method, headers }: Exchange): void {
  if (headers.origin !== undefined || method !== "POST") {
    // Only pages get the headers below, so shared caches must keep the two kinds of response apart.
    target.vary = "origin";
  }
  if (headers.origin !== undefined) {
    target["access-control-allow-origin"] = "*";
    target["access-control-expose-headers"] = EXPOSED_HEADERS;
  }
}

/** Responds to a browser's preflight request. Returns false, and does nothing, for any other request. */
export function respondToPreflight(exchange: Exchange, addTransportSecurity: AddTransportSecurity): boolean {
  const { method, headers } = exchange;
  if (method !== "OPTIONS" || headers.origin === undefined || headers["access-control-request-method"] === undefined) {
    return false;
  }
  const all = { ...PREFLIGHT_HEADERS };
  addTransportSecurity(all, exchange);
  exchange.respond(204, all, "");
  return true;
}

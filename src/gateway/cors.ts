// Cross-origin calls from browsers. Any origin may call: a call is made with a key or a session's token in a header, and a cookie counts
// for nothing there, so a foreign page gains nothing that its own server would not. https://fetch.spec.whatwg.org/#http-cors-protocol
import { cors } from "@connectrpc/connect";
import type { Exchange } from "../http/exchange.ts";
import type { ResponseHeaders } from "../http/headers.ts";

const REQUEST_HEADERS = [
  ...cors.allowedHeaders,
  "X-Gateway-Key",
  "Authorization",
  "X-Request-Id",
  "X-Server-Timeout",
  "Grpc-Accept-Encoding",
];
const ANSWER_HEADERS = [
  ...cors.exposedHeaders,
  "X-Request-Id",
  "RateLimit-Policy",
  "RateLimit",
  "Retry-After",
  "Allow",
  "Age",
  "ETag",
  "WWW-Authenticate",
  "X-Quintet-Stale",
  "X-Quintet-Data",
];
/** How long a browser may remember a preflight, in seconds: two hours is the most that Chromium takes. */
const PREFLIGHT_SECONDS = 7200;

// An answer that a cache keeps for all must not lack what only pages are told.
const differsForPages: ResponseHeaders = { vary: "origin" };

const answerHeaders: ResponseHeaders = {
  ...differsForPages,
  "access-control-allow-origin": "*",
  "access-control-expose-headers": ANSWER_HEADERS.join(", "),
};

const preflightHeaders: ResponseHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": [...cors.allowedMethods, "PATCH"].join(", "),
  "access-control-allow-headers": REQUEST_HEADERS.join(", "),
  "access-control-max-age": String(PREFLIGHT_SECONDS),
};

/** The headers that let a page read an answer. Where no page asks, only what tells caches that pages get another; POST's they do not keep. */
export function corsHeaders({ method, headers }: Exchange): ResponseHeaders {
  if (headers.origin !== undefined) {
    return answerHeaders;
  }
  return method === "POST" ? {} : differsForPages;
}

/** Answers a browser's question whether it may call; false when the request is none. */
export function answeredPreflight(exchange: Exchange): boolean {
  const { method, headers } = exchange;
  if (method !== "OPTIONS" || headers.origin === undefined || headers["access-control-request-method"] === undefined) {
    return false;
  }
  exchange.respond(204, preflightHeaders, "");
  return true;
}

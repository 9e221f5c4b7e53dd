// The first line of a request: method, target and version. https://www.rfc-editor.org/rfc/rfc9112#section-3

import type { ServerLimits } from "../limits.ts";
import { splitTarget, targetFault } from "../request-head.ts";
import type { TransportFault } from "../transport-fault.ts";

/** What a request line says. */
export interface RequestLine {
  readonly method: string;
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string;
  /** The query as sent, without `?`; empty when there is none. */
  readonly query: string;
  /** The authority that an absolute-form target names. */
  readonly authority: string | undefined;
  /** The version's second number: 1 for HTTP/1.1. */
  readonly minorVersion: 0 | 1;
  /** What is wrong with it; all else holds only as far as it could be read then. */
  readonly fault: TransportFault | undefined;
}

// The methods of the registry, and those in wide use that it lacks. A word that is no method is most often no HTTP at all.
// https://www.iana.org/assignments/http-methods
const METHODS: ReadonlySet<string> = new Set(
  (
    "GET POST HEAD PUT DELETE OPTIONS PATCH TRACE CONNECT QUERY ACL BIND CHECKOUT COPY LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR " +
    "MKCOL MOVE NOTIFY PROPFIND PROPPATCH PURGE REBIND REPORT SEARCH SOURCE SUBSCRIBE UNBIND UNLINK UNLOCK UNSUBSCRIBE"
  ).split(" "),
);

const VERSION = /^HTTP\/\d\.\d$/;
const HTTP_URI = /^https?:\/\/([^/?#]+)/i;

const malformed = (message: string): TransportFault => ({ reason: "MALFORMED_REQUEST", message });

const METHOD = malformed("The request is not well-formed HTTP/1.1: it must begin with a method such as GET or POST.");
const LINE = malformed("The request line must be a method, a target and HTTP/1.1, with one space between them.");
const FORM = malformed("The request's target must be a path that begins with `/`, or a whole URL of http or https.");
const VERSION_UNKNOWN: TransportFault = {
  reason: "HTTP_VERSION_UNKNOWN",
  message: "The request line must say HTTP/1.1 or HTTP/1.0; HTTP/2 begins with its preface, or by ALPN.",
};
const TUNNEL: TransportFault = {
  reason: "METHOD_NOT_ALLOWED",
  message: "This is not a proxy; CONNECT is not served.",
  allow: "GET, HEAD, POST",
};

const faulty = (fault: TransportFault, method = ""): RequestLine => ({
  method,
  path: "",
  query: "",
  authority: undefined,
  minorVersion: 1,
  fault,
});

const HTTP_11 = " HTTP/1.1";

/** Paths that came last, one of each length. Each holds the line that it came in. */
const PATHS_MAX = 64;
const KEPT_TARGET_LENGTH_MAX = 256;
const lastPaths = Array.from({ length: PATHS_MAX }, () => "");

/**
 * Reads a request line, without its line end. `isTargetPlain`: where the line has a target between two spaces, all that is in it is known to be
 * what may be in one.
 */
export function parseRequestLine(line: string, limits: ServerLimits, isTargetPlain = false): RequestLine {
  // Nearly all of them, which need no look at each of their parts: 0.1 µs instead of 0.3.
  const method = line.startsWith("GET /") ? "GET" : line.startsWith("POST /") ? "POST" : undefined;
  if (method === undefined || !line.endsWith(HTTP_11)) {
    return parseUncommonLine(line, limits);
  }
  const target = line.slice(method.length + 1, -HTTP_11.length);
  const { path: ownPath, query } = splitTarget(target);
  const path = target.length > KEPT_TARGET_LENGTH_MAX ? ownPath : repeated(ownPath);
  const fault = isTargetPlain && target.length <= limits.urlBytesMax ? undefined : targetFault(target, limits);
  return { method, path, query, authority: undefined, minorVersion: 1, fault };
}

// The same object for a path that came lately: its hash is known then, by which it is looked up several times.
function repeated(path: string): string {
  const place = path.length % PATHS_MAX;
  const last = lastPaths[place] as string;
  if (last !== path) {
    lastPaths[place] = path;
    return path;
  }
  return last;
}

function parseUncommonLine(line: string, limits: ServerLimits): RequestLine {
  const methodEnd = line.indexOf(" ");
  const targetEnd = line.lastIndexOf(" ");
  const method = line.slice(0, methodEnd);
  if (methodEnd < 0 || !METHODS.has(method)) {
    return faulty(METHOD);
  }
  const version = line.slice(targetEnd + 1);
  if (targetEnd === methodEnd || !VERSION.test(version)) {
    return faulty(LINE);
  }
  if (version !== "HTTP/1.1" && version !== "HTTP/1.0") {
    return faulty(VERSION_UNKNOWN, method);
  }
  if (method === "CONNECT") {
    return faulty(TUNNEL, method);
  }
  const minorVersion = version === "HTTP/1.1" ? 1 : 0;
  const target = line.slice(methodEnd + 1, targetEnd);
  // Any server must take the absolute form: https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
  const authority = target.startsWith("/") ? undefined : HTTP_URI.exec(target)?.[1];
  const isTarget = target.startsWith("/") || authority !== undefined || (target === "*" && method === "OPTIONS");
  const fault = targetFault(target, limits) ?? (isTarget ? undefined : FORM);
  const { path, query } = splitTarget(target);
  return { method, path, query, authority, minorVersion, fault };
}

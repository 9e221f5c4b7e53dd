// The first line of a request: method, target and version. https://www.rfc-editor.org/rfc/rfc9112#section-3
import type { ServerLimits } from "../limits.ts";
import { splitTarget, targetFault } from "../request-head.ts";
import { malformed, type TransportFault } from "../transport-fault.ts";

export interface RequestLine {
  readonly method: string;
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string;
  /** The query as sent, without `?`; empty if there is none. */
  readonly query: string;
  /** The authority of an absolute-form target. */
  readonly authority: string | undefined;
  /** The minor version: 1 for HTTP/1.1. */
  readonly minorVersion: 0 | 1;
  /** What is wrong with the line. The other fields then hold only what could be read. */
  readonly fault: TransportFault | undefined;
}

// The registered methods, and widely used ones that are not registered. Any other word is most likely not HTTP at all.
// https://www.iana.org/assignments/http-methods
const METHODS: ReadonlySet<string> = new Set(
  (
    "GET POST HEAD PUT DELETE OPTIONS PATCH TRACE CONNECT QUERY ACL BIND CHECKOUT COPY LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR " +
    "MKCOL MOVE NOTIFY PROPFIND PROPPATCH PURGE REBIND REPORT SEARCH SOURCE SUBSCRIBE UNBIND UNLINK UNLOCK UNSUBSCRIBE"
  ).split(" "),
);

const VERSION = /^HTTP\/\d\.\d$/;
const HTTP_URI = /^https?:\/\/([^/?#]+)/i;

const METHOD = malformed("The request is not well-formed HTTP/1.1: it must begin with a method such as GET or POST.");
const LINE = malformed("The request line must be a method, a target and HTTP/1.1, with one space between them.");
const FORM = malformed("The request's target must be a path that begins with `/`, or a complete http or https URL.");
const VERSION_UNKNOWN: TransportFault = {
  reason: "HTTP_VERSION_UNKNOWN",
  message: "The request line must say HTTP/1.1 or HTTP/1.0; HTTP/2 begins with its preface, or is chosen by ALPN.",
};
const TUNNEL: TransportFault = {
  reason: "METHOD_NOT_ALLOWED",
  message: "This is not a proxy; CONNECT is not supported.",
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

/** Parses a request line without its line end. */
export function parseRequestLine(line: string, limits: ServerLimits): RequestLine {
  // The fast path for nearly all requests, without checking each part.
  const method = line.startsWith("GET /") ? "GET" : line.startsWith("POST /") ? "POST" : undefined;
  if (method === undefined || !line.endsWith(HTTP_11)) {
    return parseUncommonLine(line, limits);
  }
  const target = line.slice(method.length + 1, -HTTP_11.length);
  const { path, query } = splitTarget(target);
  return { method, path, query, authority: undefined, minorVersion: 1, fault: targetFault(target, limits) };
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
  // Every server must accept the absolute form: https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
  const authority = target.startsWith("/") ? undefined : HTTP_URI.exec(target)?.[1];
  const isTarget = target.startsWith("/") || authority !== undefined || (target === "*" && method === "OPTIONS");
  const fault = targetFault(target, limits) ?? (isTarget ? undefined : FORM);
  const { path, query } = splitTarget(target);
  return { method, path, query, authority, minorVersion, fault };
}

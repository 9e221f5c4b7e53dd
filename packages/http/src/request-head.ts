// Parses parts of a request's head, and makes the checks that need no route: of sizes, counts and the host.
import { byteSize } from "./byte-size.ts";
import type { RequestHeaders } from "./headers.ts";
import type { ServerLimits } from "./limits.ts";
import { malformed, type TransportFault } from "./transport-fault.ts";

/** A request target: the path, and the query without `?`. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** Splits a request target. In the absolute form, which every server must accept, the path is what follows the authority. */
export function splitTarget(url: string): Target {
  const origin = url.startsWith("/") ? url : url.replace(ABSOLUTE_FORM, "");
  const mark = origin.indexOf("?");
  const path = mark < 0 ? origin : origin.slice(0, mark);
  return { path: path === "" ? "/" : path, query: mark < 0 ? "" : origin.slice(mark + 1) };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The caller's request id, if it is a UUID. */
export function callersRequestId(headers: RequestHeaders): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" && UUID.test(id) ? id : undefined;
}

// A host name, an IPv4 address or a bracketed IPv6 address, with an optional port.
// https://www.rfc-editor.org/rfc/rfc3986#section-3.2
const HOST = /^(?:[a-z0-9._~!$&'()*+,;=%-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;

/** What is wrong with the host that a request names in one or several headers; undefined if nothing is. */
export function hostFault(headers: number, host: string | undefined, hostRequired: boolean): TransportFault | undefined {
  if (headers > 1) {
    return malformed("The request has more than one Host header; send one.");
  }
  if (host === undefined ? hostRequired : !HOST.test(host)) {
    return malformed("The request must name its host, such as `api.example.com` or `127.0.0.1:8080`, in one Host header.");
  }
  return undefined;
}

const DIGITS = /^\d{1,16}$/;

/** The body's length in bytes. Two arrive joined by a comma, and are a fault even if equal: a proxy may have used only one of them. */
export function lengthOfBody(contentLength: string): number | TransportFault {
  const length = DIGITS.test(contentLength) ? Number(contentLength) : Number.NaN;
  return Number.isSafeInteger(length)
    ? length
    : malformed("Content-Length must be a whole number of bytes, only digits, and sent only once.");
}

export function uriTooLong({ urlBytesMax }: ServerLimits): TransportFault {
  return {
    reason: "URI_TOO_LONG",
    message: `The URL is longer than ${byteSize(urlBytesMax)}; send the input in the body of a POST instead.`,
  };
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const VISIBLE_ASCII_BUT_HASH = /^[\x21\x22\x24-\x7e]+$/;

/** The fault of a target with bytes that are not allowed. */
const TARGET_NOT_ASCII = malformed("The URL must be ASCII without control characters; percent-encode everything else, as UTF-8.");
const FRAGMENT = malformed("The URL must not have a fragment; percent-encode a `#` in the data as %23.");

/** The fault of a target's length or bytes; undefined if there is none. */
export function targetFault(target: string, limits: ServerLimits): TransportFault | undefined {
  if (target.length > limits.urlBytesMax) {
    return uriTooLong(limits);
  }
  if (VISIBLE_ASCII_BUT_HASH.test(target)) {
    return undefined;
  }
  return VISIBLE_ASCII.test(target) ? FRAGMENT : TARGET_NOT_ASCII;
}

export function headersTooLarge({ headerBytesMax, headersMax }: ServerLimits): TransportFault {
  return {
    reason: "HEADERS_TOO_LARGE",
    message: `A request may have at most ${headersMax} headers, and at most ${byteSize(headerBytesMax)} of them in total.`,
  };
}

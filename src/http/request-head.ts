// What a request's head says, and what is wrong with it before anyone has looked for a route: sizes, counts, and the host.
import { byteSize } from "../runtime/byte-size.ts";
import type { RequestHeaders } from "./headers.ts";
import type { ServerLimits } from "./limits.ts";
import type { TransportFault } from "./transport-fault.ts";

/** A request target: the path, and the query without `?`. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** Splits a request target. Of the absolute form, which any server must take, the path is what follows the authority. */
export function splitTarget(url: string): Target {
  const origin = url.startsWith("/") ? url : url.replace(ABSOLUTE_FORM, "");
  const mark = origin.indexOf("?");
  const path = mark < 0 ? origin : origin.slice(0, mark);
  return { path: path === "" ? "/" : path, query: mark < 0 ? "" : origin.slice(mark + 1) };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The caller's request id where it is a UUID. */
export function callersRequestId(headers: RequestHeaders): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" && UUID.test(id) ? id : undefined;
}

// A host name, an IPv4 address or a bracketed IPv6 address, with or without a port. https://www.rfc-editor.org/rfc/rfc3986#section-3.2
const HOST = /^(?:[a-z0-9._~!$&'()*+,;=%-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;

const malformed = (message: string): TransportFault => ({ reason: "MALFORMED_REQUEST", message });

/** What is wrong with the host that a request names, and with how many `headers` name it; undefined when nothing is. */
export function hostFault(headers: number, host: string | undefined, hostRequired: boolean): TransportFault | undefined {
  if (headers > 1) {
    return malformed("The request has more than one Host header; send one.");
  }
  if (host === undefined ? hostRequired : !HOST.test(host)) {
    return malformed("The request must name its host, such as `api.example.com` or `127.0.0.1:8080`, in one Host header.");
  }
  return undefined;
}

/** The URL is over the limit. */
export function uriTooLong({ urlBytesMax }: ServerLimits): TransportFault {
  return {
    reason: "URI_TOO_LONG",
    message: `The URL is longer than ${byteSize(urlBytesMax)}; send the input in the body of a POST instead.`,
  };
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const VISIBLE_ASCII_BUT_HASH = /^[\x21\x22\x24-\x7e]+$/;

/** By byte: 1 where it may not be in a target, and 0 where it may. */
export const NOT_IN_TARGET = Uint8Array.from({ length: 256 }, (_, byte) =>
  VISIBLE_ASCII_BUT_HASH.test(String.fromCharCode(byte)) ? 0 : 1,
);

/** The target has bytes that may not be in one. */
const TARGET_NOT_ASCII = malformed("The URL must be ASCII without control characters; percent-encode everything else, as UTF-8.");
const FRAGMENT = malformed("The URL must not have a fragment; percent-encode `#` as %23 where it is meant as data.");

/** What is wrong with the octets of a request's target, or their number; undefined when nothing is. */
export function targetFault(target: string, limits: ServerLimits): TransportFault | undefined {
  if (target.length > limits.urlBytesMax) {
    return uriTooLong(limits);
  }
  if (VISIBLE_ASCII_BUT_HASH.test(target)) {
    return undefined;
  }
  return VISIBLE_ASCII.test(target) ? FRAGMENT : TARGET_NOT_ASCII;
}

/** The headers are over one of their limits. */
export function headersTooLarge({ headerBytesMax, headersMax }: ServerLimits): TransportFault {
  return {
    reason: "HEADERS_TOO_LARGE",
    message: `The request's headers must be at most ${headersMax}, and at most ${byteSize(headerBytesMax)} together.`,
  };
}

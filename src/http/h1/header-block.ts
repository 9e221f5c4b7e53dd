// The header lines of a request, all of them together: names, values, and what they say about the request's framing and its connection.
// Strict where leniency has let one request be taken for two. https://www.rfc-editor.org/rfc/rfc9112#section-5
import type { RequestHeaders } from "../headers.ts";
import type { ServerLimits } from "../limits.ts";
import { headersTooLarge, hostFault } from "../request-head.ts";
import type { TransportFault } from "../transport-fault.ts";

/** What a request's header lines say. Frozen in meaning: requests with the same lines share one. */
export interface HeaderBlock {
  readonly headers: RequestHeaders;
  /** What is wrong with the host that it names, or does not name, for a request of HTTP/1.1. */
  readonly hostFault: TransportFault | undefined;
  /** The body's length in bytes, or `chunked`; 0 where no body is announced. */
  readonly body: number | "chunked";
  /** Whether `Connection` says `close`. */
  readonly saysClose: boolean;
  /** Whether `Connection` says `keep-alive`. */
  readonly saysKeepAlive: boolean;
  /** Whether the caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** What is wrong with it; all else holds only as far as it could be read then. */
  readonly fault: TransportFault | undefined;
}

const malformed = (message: string): TransportFault => ({ reason: "MALFORMED_REQUEST", message });

// No control character but the tab, and every line ends in CRLF: a lone CR or LF is a line's end to some and not to others.
const CONTROL_OR_LONE_LINE_END = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/;

// A name is a token, with no blank before the colon. A line that begins with a blank, which once continued the one before it, has none.
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const MALFORMED_LINE = malformed(
  "Each header must be one line: a name, a colon right behind it, and a value without control characters; each line must end in CRLF.",
);

// Headers that have one value. If one comes twice, the first is kept and the others are dropped, as Node does.
const SINGLE: ReadonlySet<string> = new Set(
  (
    "age authorization content-type etag expires from if-modified-since if-unmodified-since last-modified location max-forwards " +
    "proxy-authorization referer retry-after server user-agent"
  ).split(" "),
);

/** Reads header lines, each with its CRLF. What is wrong with them, their number or the framing that they announce is the block's fault. */
export function parseHeaderBlock(text: string, limits: ServerLimits): HeaderBlock {
  const headers: Record<string, string> = Object.create(null);
  let count = 0;
  let bytes = 0;
  let hosts = 0;
  let fault = CONTROL_OR_LONE_LINE_END.test(text) ? MALFORMED_LINE : undefined;
  for (let at = 0; at < text.length && fault === undefined; ) {
    const end = text.indexOf("\r\n", at);
    const colon = text.indexOf(":", at);
    // Without a colon in it the line is taken whole, and is no token with its CRLF.
    const sentName = text.slice(at, colon < 0 || colon > end ? end + 2 : colon);
    if (!TOKEN.test(sentName)) {
      fault = MALFORMED_LINE;
      break;
    }
    const value = withoutBlanks(text, colon + 1, end);
    const name = sentName.toLowerCase();
    at = end + 2;
    count += 1;
    bytes += name.length + value.length;
    if (name === "host") {
      hosts += 1;
    }
    addHeader(headers, name, value);
  }
  if (count > limits.headersMax || bytes > limits.headerBytesMax) {
    fault ??= headersTooLarge(limits);
  }
  const body = bodyOf(headers);
  const { connection, expect } = headers;
  return {
    headers,
    hostFault: hostFault(hosts, headers.host, true),
    body: typeof body === "object" ? 0 : body,
    // Some old proxies hand on what was meant for them.
    saysClose: hasToken(connection, "close") || hasToken(headers["proxy-connection"], "close"),
    saysKeepAlive: hasToken(connection, "keep-alive"),
    // Other expectations may be ignored: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
    expectsContinue: expect !== undefined && expect.toLowerCase() === "100-continue",
    fault: fault ?? (typeof body === "object" ? body : undefined),
  };
}

// How long the body is, or why that cannot be told: https://www.rfc-editor.org/rfc/rfc9112#section-6.3
function bodyOf(headers: RequestHeaders): HeaderBlock["body"] | TransportFault {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  if (encoding === undefined) {
    return length === undefined ? 0 : lengthOfBody(length);
  }
  if (length !== undefined) {
    return malformed("The request must not have both Content-Length and Transfer-Encoding.");
  }
  return chunkedBody(encoding);
}

const SPACE = 0x20;
const TAB = 0x09;
const isBlank = (code: number): boolean => code === SPACE || code === TAB;

// The part of the text from `from` to `to`, without spaces and tabs around it.
function withoutBlanks(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) {
    start += 1;
  }
  while (end > start && isBlank(text.charCodeAt(end - 1))) {
    end -= 1;
  }
  return text.slice(start, end);
}

function addHeader(headers: Record<string, string>, name: string, value: string): void {
  const known = headers[name];
  if (known === undefined) {
    headers[name] = value;
  } else if (!SINGLE.has(name)) {
    headers[name] = `${known}${name === "cookie" ? "; " : ", "}${value}`;
  }
}

const hasToken = (list: string | undefined, token: string): boolean =>
  list?.split(",").some((one) => one.trim().toLowerCase() === token) ?? false;

const DIGITS = /^\d{1,16}$/;

// Two lengths have been joined by a comma, and are refused even where they are the same: who forwards them may have seen one.
function lengthOfBody(value: string): number | TransportFault {
  const length = DIGITS.test(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(length)
    ? length
    : malformed("Content-Length must be one whole number of bytes, in digits alone, and there must be only one such header.");
}

function chunkedBody(value: string): "chunked" | TransportFault {
  if (value.toLowerCase() === "chunked") {
    return "chunked";
  }
  const codings = value
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim());
  if (codings.every((coding) => coding === "chunked" || coding === "")) {
    return malformed("Transfer-Encoding must say chunked once.");
  }
  const message = "The only transfer-encoding that is understood is chunked; a compressed body says so in content-encoding.";
  return { reason: "TRANSFER_ENCODING_UNKNOWN", message };
}

// The header lines of a request: names, values, and what they mean for framing and the connection. Strict wherever leniency has
// enabled request smuggling. https://www.rfc-editor.org/rfc/rfc9112#section-5

import { HeaderRecord } from "../header-record.ts";
import { addHeader, hasMember, isBlank, type RequestHeaders, withoutBlanks } from "../headers.ts";
import type { ServerLimits } from "../limits.ts";
import { headersTooLarge, hostFault, lengthOfBody } from "../request-head.ts";
import { malformed, type TransportFault } from "../transport-fault.ts";

// The names of headers that clients often send. Finding such a name by its bytes is faster than decoding the bytes, and a record finds
// the resulting string faster than a newly decoded one.
const NAMES = `
accept
accept-encoding
accept-language
accept-charset
authorization
cache-control
connection
content-encoding
content-length
content-type
cookie
expect
forwarded
host
if-modified-since
if-none-match
keep-alive
origin
pragma
priority
proxy-connection
range
referer
sec-fetch-dest
sec-fetch-mode
sec-fetch-site
te
traceparent
tracestate
transfer-encoding
upgrade
upgrade-insecure-requests
user-agent
via
x-forwarded-for
x-forwarded-host
x-forwarded-proto
x-gateway-key
x-real-ip
x-request-id
x-server-timeout`;

const isToken = (byte: number): boolean => /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte));

/** Indexed by byte: the byte in lower case if it may be in a name, else 0. */
const LOWER_CASE = Uint8Array.from({ length: 256 }, (_, byte) =>
  isToken(byte) ? String.fromCharCode(byte).toLowerCase().charCodeAt(0) : 0,
);

const TABLE_SIZE = 1024;
const known: (string | undefined)[] = Array.from({ length: TABLE_SIZE }, () => undefined);
// V8 stores each property name once, so it compares them by address and not character by character.
for (const name of Object.keys(
  Object.fromEntries(
    NAMES.trim()
      .split("\n")
      .map((each) => [each, true]),
  ),
)) {
  let hash = 0;
  for (const byte of Buffer.from(name)) {
    hash = nextHash(hash, byte);
  }
  known[hash % TABLE_SIZE] = name;
}

/** The hash of a name: `hash` is that of the name without its last byte (0 if that is empty), and `byte` the last byte in lower case. */
function nextHash(hash: number, byte: number): number {
  return (hash * 31 + byte) & 0xff_ffff;
}

/** The known name that has this hash and these bytes, in any case; undefined if there is none. */
function knownName(hash: number, bytes: Uint8Array, start: number, end: number): string | undefined {
  const name = known[hash % TABLE_SIZE];
  if (name === undefined || name.length !== end - start) {
    return undefined;
  }
  for (let i = 0; i < name.length; i += 1) {
    if (name.charCodeAt(i) !== LOWER_CASE[bytes[start + i] as number]) {
      return undefined;
    }
  }
  return name;
}

/** What the header lines of a request contain. */
export interface HeaderBlock {
  readonly headers: RequestHeaders;
  /** For HTTP/1.1 requests: what is wrong with the host that the request names, such as that it names none. */
  readonly hostFault: TransportFault | undefined;
  /** The length of the body in bytes, or `chunked`; 0 if no body is announced. */
  readonly body: number | "chunked";
  /** Whether `Connection` says `close`. */
  readonly saysClose: boolean;
  /** Whether `Connection` says `keep-alive`. */
  readonly saysKeepAlive: boolean;
  /** Whether the caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** What is wrong with the lines. The other fields then hold only what could be read. */
  readonly fault: TransportFault | undefined;
}

const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
const COLON = 0x3a;

const MALFORMED_LINE = malformed(
  "Each header must be one line: a name, immediately followed by a colon, and a value without control characters; each line must end in CRLF.",
);

// Some implementations treat a coding with a tab after it as unknown, and the body as a request:
// https://www.rfc-editor.org/rfc/rfc9112#section-6.3
const TAB_AFTER_ENCODING = malformed("Transfer-Encoding must not have a tab after its value.");

// The classes of the bytes in a value. Control characters other than tabs are in neither class: some implementations mistake a lone CR or
// LF for a line end.
const VISIBLE = 1;
const BLANK = 2;
const VALUE_CLASSES = Uint8Array.from({ length: 256 }, (_, byte) =>
  isBlank(byte) ? BLANK : byte > SPACE && byte !== 0x7f ? VISIBLE : 0,
);

/**
 * Parses header lines, each with its CRLF: the bytes from `start` to `end`, which are also the end of `text`. If the lines, their number or
 * the announced framing are faulty, the block has that fault.
 */
export function parseHeaderBlock(bytes: Buffer, start: number, end: number, text: string, limits: ServerLimits): HeaderBlock {
  const headers: Record<string, string | undefined> = new HeaderRecord();
  // What to add to an index in the bytes to get the index in the text.
  const shift = text.length - end;
  let count = 0;
  let length = 0;
  let hosts = 0;
  let fault: TransportFault | undefined;
  for (let at = start; at < end; ) {
    // A name is a token, with no space before the colon. This also refuses folded lines, which begin with a space or a tab.
    let colon = at;
    let hash = 0;
    for (let byte = LOWER_CASE[bytes[colon] as number] as number; byte !== 0; byte = LOWER_CASE[bytes[colon] as number] as number) {
      hash = nextHash(hash, byte);
      colon += 1;
    }
    let from = colon + 1;
    while (VALUE_CLASSES[bytes[from] as number] === BLANK) {
      from += 1;
    }
    let valueEnd = from;
    let lineEnd = from;
    for (let kind = VALUE_CLASSES[bytes[lineEnd] as number]; kind; kind = VALUE_CLASSES[bytes[lineEnd] as number]) {
      lineEnd += 1;
      if (kind === VISIBLE) {
        valueEnd = lineEnd;
      }
    }
    if (colon === at || bytes[colon] !== COLON || bytes[lineEnd] !== CR || bytes[lineEnd + 1] !== LF) {
      fault = MALFORMED_LINE;
      break;
    }
    const name = knownName(hash, bytes, at, colon) ?? text.slice(at + shift, colon + shift).toLowerCase();
    if (name === "transfer-encoding" && bytes.subarray(valueEnd, lineEnd).includes(TAB)) {
      fault = TAB_AFTER_ENCODING;
      break;
    }
    at = lineEnd + 2;
    count += 1;
    length += name.length + valueEnd - from;
    if (name === "host") {
      hosts += 1;
    }
    addHeader(headers, name, text.slice(from + shift, valueEnd + shift));
  }
  if (count > limits.headersMax || length > limits.headerBytesMax) {
    fault ??= headersTooLarge(limits);
  }
  const body = bodyOf(headers);
  const { connection, expect } = headers;
  return {
    headers,
    hostFault: hostFault(hosts, headers.host, true),
    body: typeof body === "object" ? 0 : body,
    // Some old proxies forward `proxy-connection`, although it was meant for them.
    saysClose: hasMember(connection, "close") || hasMember(headers["proxy-connection"], "close"),
    saysKeepAlive: hasMember(connection, "keep-alive"),
    // Other expectations may be ignored: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
    expectsContinue: expect !== undefined && expect.toLowerCase() === "100-continue",
    fault: fault ?? (typeof body === "object" ? body : undefined),
  };
}

// The length of the body, or the fault that makes it unknown: https://www.rfc-editor.org/rfc/rfc9112#section-6.3
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

// The codings of a list, in lower case. No client lists more than `CODINGS_MAX`; any further ones are dropped. `trim` would also remove
// other white space, such as the no-break space, which other implementations keep.
const CODINGS_MAX = 32;
const codingsOf = (list: string): string[] => list.toLowerCase().split(",", CODINGS_MAX).map(withoutBlanks);

function chunkedBody(value: string): "chunked" | TransportFault {
  if (value.toLowerCase() === "chunked") {
    return "chunked";
  }
  if (codingsOf(value).every((coding) => coding === "chunked" || coding === "")) {
    return malformed("Transfer-Encoding must contain chunked exactly once.");
  }
  const message = "The only supported transfer-encoding is chunked; declare compression in content-encoding.";
  return { reason: "TRANSFER_ENCODING_UNKNOWN", message };
}

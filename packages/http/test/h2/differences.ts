// Where our HTTP/2 differs from node:http2, by the last step of a connection, each with its reason. The streams before that step have the
// same outcome.
import { LAST_STREAM } from "./odd-connections.ts";
import type { Outcome, StreamOutcome } from "./outcome.ts";

/** One difference. */
interface Difference {
  readonly reason: string;
  /** Our expected outcome, given Node's. */
  readonly expected: (theirs: Outcome) => Outcome;
}

const PROTOCOL_ERROR = 1;
const FLOW_CONTROL_ERROR = 3;
const STREAM_CLOSED = 5;

const NO_RESPONSE: StreamOutcome = { stream: LAST_STREAM, status: undefined, body: undefined, reset: undefined };
const withLast = (theirs: Outcome, last: Partial<StreamOutcome>): Outcome => ({
  streams: [...theirs.streams.filter(({ stream }) => stream !== LAST_STREAM), { ...NO_RESPONSE, ...last }],
  goaway: undefined,
});

const resets = (code: number, reason: string): Difference => ({
  reason,
  expected: (theirs) => withLast(theirs, { reset: code }),
});
const responses = (status: number, body: string, reason: string): Difference => ({
  reason,
  expected: (theirs) => withLast(theirs, { status: `:status: ${status}`, body }),
});
const ends = (code: number, reason: string): Difference => ({
  reason,
  expected: ({ streams }) => ({ streams, goaway: code }),
});

const malformed = (message: string, reason: string): Difference => ({
  reason,
  expected: (theirs) => withLast(theirs, { status: ":status: 400", body: `MALFORMED_REQUEST: ${message}`, reset: PROTOCOL_ERROR }),
});

const NOT_LEFT_OUT = "nghttp2 drops the header and continues; RFC 9113, section 8.2.1: such a request is malformed.";
const WHAT_IS_WRONG =
  "Node resets the stream; RFC 9113, section 8.1.1, lets a server first send a response that says what is wrong.";
const NO_URI = "RFC 3986 allows no such byte in a path; Node accepts it.";
const TARGET_NOT_ASCII =
  "MALFORMED_REQUEST: The URL must be ASCII without control characters; percent-encode everything else, as UTF-8.";
const FRAGMENT = "MALFORMED_REQUEST: The URL must not have a fragment; percent-encode a `#` in the data as %23.";
const NO_HOST =
  "MALFORMED_REQUEST: The request must name its host, such as `api.example.com` or `127.0.0.1:8080`, in one Host header.";
const PSEUDO_MISSING = "A request must have the pseudo-headers :method, :scheme and :path.";
const PSEUDO_MISPLACED =
  "A request has the pseudo-headers :method, :scheme, :path and :authority: each at most once, none after a header, and no other.";
const NOT_IN_HTTP2 = "HTTP/2 has no header connection, keep-alive, proxy-connection, transfer-encoding, upgrade; leave them out.";
const LENGTH = "Content-Length must be a whole number of bytes, only digits, and sent only once.";
const NAME = "The name of a header must be of letters, digits and the characters !#$%&'*+-.^_`|~; over HTTP/2, in lower case.";
const STREAM_ALONE = "RFC 9113 calls this a stream error; Node ends the connection, and with it other calls.";

/** All differences. */
export const DIFFERENCES: ReadonlyMap<string, Difference> = new Map<string, Difference>([
  ...["no method", "no scheme", "no path"].map((what) => [what, malformed(PSEUDO_MISSING, WHAT_IS_WRONG)] as const),
  ...["two paths", "two methods", "a pseudo-header after a header", "an unknown pseudo-header", "a response's pseudo-header"].map(
    (what) => [what, malformed(PSEUDO_MISPLACED, WHAT_IS_WRONG)] as const,
  ),
  ...["an empty path", "a full URL as the path"].map(
    (what) => [what, malformed("The path must begin with `/`.", WHAT_IS_WRONG)] as const,
  ),
  ...["a method with a space", "an empty method"].map(
    (what) => [what, malformed("The method must be a word such as GET or POST.", WHAT_IS_WRONG)] as const,
  ),
  ...["a scheme with a space", "an empty scheme"].map(
    (what) => [what, malformed("The scheme must be http or https.", WHAT_IS_WRONG)] as const,
  ),
  ...["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"].map(
    (what) => [what, malformed(NOT_IN_HTTP2, WHAT_IS_WRONG)] as const,
  ),
  ["another te", malformed("Over HTTP/2, the header te may only be `trailers`.", WHAT_IS_WRONG)],
  ...["two lengths", "a length that is not a number"].map((what) => [what, malformed(LENGTH, WHAT_IS_WRONG)] as const),
  [
    "a length without a body",
    malformed("The request ended with its headers, although its Content-Length announces a body.", WHAT_IS_WRONG),
  ],
  ...["an upper-case name", "a name with a space", "an empty name"].map((what) => [what, malformed(NAME, NOT_LEFT_OUT)] as const),
  ...["a value with a line feed", "a value with a null"].map(
    (what) => [what, malformed("The value of a header must not contain control characters.", NOT_LEFT_OUT)] as const,
  ),
  [
    "a value that begins with a space",
    responses(
      200,
      JSON.stringify({ method: "GET", path: `/${LAST_STREAM}`, fields: ["x-a: 1"], body: "" }),
      "nghttp2 drops the header; gRPC and HTTP/1.1 strip such blanks.",
    ),
  ],
  ["a path with a space", responses(400, TARGET_NOT_ASCII, WHAT_IS_WRONG)],
  ["a path with a tab", responses(400, TARGET_NOT_ASCII, WHAT_IS_WRONG)],
  ["a path with a byte above ASCII", responses(400, TARGET_NOT_ASCII, NO_URI)],
  ["a path with a number sign", responses(400, FRAGMENT, NO_URI)],
  ["an empty authority", responses(400, NO_HOST, WHAT_IS_WRONG)],
  ["a user name before the host", responses(400, NO_HOST, WHAT_IS_WRONG)],
  ["two hosts", responses(400, "MALFORMED_REQUEST: The request has more than one Host header; send one.", WHAT_IS_WRONG)],
  [
    "DATA longer than content-length",
    malformed("The body is longer than content-length says.", `${STREAM_ALONE} And: ${WHAT_IS_WRONG}`),
  ],
  ["DATA shorter than content-length", malformed("The body is not as long as content-length says.", WHAT_IS_WRONG)],
  ...["trailers without the end", "trailers with a pseudo-header"].map(
    (what) => [what, malformed("The trailers are malformed, or do not end the request.", WHAT_IS_WRONG)] as const,
  ),
  ["a zero window update on a stream", resets(PROTOCOL_ERROR, STREAM_ALONE)],
  ["a window that overflows on a stream", resets(FLOW_CONTROL_ERROR, STREAM_ALONE)],
  ["DATA after the end", resets(STREAM_CLOSED, STREAM_ALONE)],
  ["HEADERS after the end", resets(STREAM_CLOSED, STREAM_ALONE)],
  [
    "DATA after a reset",
    resets(STREAM_CLOSED, "RFC 9113, section 5.1: DATA on a stream that its sender has reset is an error; Node ignores it."),
  ],
  [
    "an acknowledgement without a PING",
    {
      reason: "RFC 9113 defines no such error, and a flood of them is bounded; Node ends the connection.",
      expected: ({ streams }) => ({ streams, goaway: undefined }),
    },
  ],
  ["PRIORITY on stream 0", ends(PROTOCOL_ERROR, "RFC 9113, section 6.3: a connection error; Node ignores it.")],
  ["HEADERS of a stream that depends on itself", ends(PROTOCOL_ERROR, "RFC 7540, section 5.3.1: an error; Node ignores it.")],
  ["a stream depends on itself", ends(PROTOCOL_ERROR, "RFC 7540, section 5.3.1: an error; Node ignores it.")],
  [
    "another host",
    responses(
      400,
      "MALFORMED_REQUEST: The request names one host in :authority and another in its Host header.",
      "RFC 9113, section 8.3.1: the two must agree; Node leaves it to its handler.",
    ),
  ],
  [
    "CONNECT",
    responses(405, "METHOD_NOT_ALLOWED: This is not a proxy; CONNECT is not supported.", "Node leaves it to its handler."),
  ],
]);

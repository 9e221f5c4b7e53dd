// How the responses of the two pipelines may differ, and why. Each entry removes one difference, but only if it is exactly as described.
// Any remaining difference is a fault.
import { Code } from "@connectrpc/connect";
import { CODE_NAMES } from "../../../src/problem/code.ts";
import { REASONS, type Reason } from "../../../src/problem/reason.ts";
import type { Call } from "./calls.ts";
import type { RawFields } from "./raw-client.ts";
import { hangs } from "./request.ts";
import type { View } from "./view.ts";

/** The results of one call in both pipelines. */
export interface Pair {
  readonly call: Call;
  readonly unary: View;
  readonly connect: View;
}

/** One difference. */
export interface KnownDifference {
  readonly name: string;
  /** Why it is accepted. */
  readonly reason: string;
  /** The pair without the difference; the same object if there is none. */
  readonly without: (pair: Pair) => Pair;
}

const isGrpc = ({ protocol }: Call): boolean => protocol === "grpc" || protocol.startsWith("grpc-web");

/** Replaces the other pipeline's result with the unary pipeline's. */
const resolved = (pair: Pair): Pair => ({ ...pair, connect: pair.unary });

const less = (fields: RawFields, ...names: string[]): RawFields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** How a code is written in the protocol of a call. */
const written = (code: Code, call: Call): string => (isGrpc(call) ? String(code) : CODE_NAMES[code]);

const bothRefused = ({ unary, connect }: Pair): boolean =>
  unary.seen.length === 0 &&
  connect.seen.length === 0 &&
  unary.failure !== undefined &&
  connect.failure !== undefined &&
  connect.failure.details.length === 0 &&
  connect.settled.join() === "MALFORMED_REQUEST";

/** Whether the unary pipeline refused the request for this reason, before its handler was called. */
const refusedAs = ({ unary, call }: Pair, ...reasons: Reason[]): boolean =>
  unary.seen.length === 0 &&
  unary.settled.length === 1 &&
  reasons.includes(unary.settled[0] as Reason) &&
  unary.failure?.code === written(REASONS[unary.settled[0] as Reason].code, call);

/** Whether the Connect pipeline found nothing wrong before the call. */
const passedOn = ({ connect }: Pair): boolean => connect.settled.join() !== "MALFORMED_REQUEST";

const responded = ({ connect }: Pair): boolean =>
  connect.status === 200 && connect.failure === undefined && connect.settled.join() === "OK";

/** The same result with another code, and with Connect's status for it. */
function withCode(pair: Pair): Pair {
  const { connect, unary } = pair;
  const { failure } = connect;
  if (failure === undefined || unary.failure === undefined) {
    return pair;
  }
  const trailers =
    "grpc-status" in connect.trailers ? { ...connect.trailers, "grpc-status": unary.failure.code } : connect.trailers;
  return {
    ...pair,
    connect: { ...connect, status: unary.status, trailers, failure: { ...failure, code: unary.failure.code } },
  };
}

/** The differences, in the order in which they are removed. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    name: "the content type of gRPC-Web's text form, as handlers see it",
    reason: "connect-es knows only the binary form, so the Connect pipeline decodes the text and names that form.",
    without: (pair) => {
      const { unary, connect, call } = pair;
      const [theirs] = unary.seen;
      const [ours] = connect.seen;
      const type = theirs?.headers["content-type"];
      return call.protocol === "grpc-web-text" &&
        type !== undefined &&
        ours?.headers["content-type"] === type.toLowerCase().replace(/;.*/, "").replace("-text", "")
        ? { ...pair, connect: { ...connect, seen: [{ ...ours, headers: { ...ours.headers, "content-type": type } }] } }
        : pair;
    },
  },
  {
    name: "a content type with parameters or in capitals",
    reason:
      "connect-es compares Connect's content types letter by letter. Case and parameters do not matter: RFC 9110, section 8.3.1.",
    without: (pair) =>
      (pair.call.extra === "typeParameter" || pair.call.extra === "typeUpperCase") && pair.connect.status === 415
        ? resolved(pair)
        : pair,
  },
  {
    name: "connect-protocol-version other than 1",
    reason:
      "connect-es checks it, or the parameter of a GET, only where it is required. The protocol allows a server to refuse an unknown version.",
    without: (pair) =>
      (pair.call.extra === "wrongVersion" || pair.call.extra === "emptyVersion") &&
      pair.call.protocol.startsWith("connect") &&
      refusedAs(pair, "MALFORMED_REQUEST")
        ? resolved(pair)
        : pair,
  },
  {
    name: "a deadline of 0",
    reason:
      "connect-es calls the handler with an aborted signal. The unary pipeline does not call it when the deadline has passed.",
    without: (pair) =>
      !hangs(pair.call) && pair.call.timeout.startsWith("zero") && refusedAs(pair, "DEADLINE_EXCEEDED") ? resolved(pair) : pair,
  },
  {
    name: "a deadline in months",
    reason:
      "It is longer than a timer allows, and connect-es would set one that fires immediately. The Connect pipeline shortens it.",
    without: (pair) => {
      const { unary, connect, call } = pair;
      const [theirs] = unary.seen;
      const [ours] = connect.seen;
      const name = isGrpc(call) ? "grpc-timeout" : "connect-timeout-ms";
      const capped = isGrpc(call) ? "2147483S" : "2147483647";
      return call.timeout === "longest" && theirs !== undefined && ours?.headers[name] === capped
        ? {
            ...pair,
            connect: { ...connect, seen: [{ ...ours, headers: { ...ours.headers, [name]: theirs.headers[name] ?? "" } }] },
          }
        : pair;
    },
  },
  {
    name: "headers that Node or gRPC cannot send",
    reason:
      "The unary pipeline answers without them, or with the letters that are whole. In the Connect pipeline the call fails or is cut, or Node's HTTP/2 sends them all the same.",
    without: (pair) =>
      /refused[HT]|RefusedHeader|halfALetter/.test(pair.call.want) && pair.connect.settled.length === 1 ? resolved(pair) : pair,
  },
  {
    name: "a response after the deadline",
    reason:
      "connect-es sends a response that comes after the deadline. The unary pipeline has responded with DEADLINE_EXCEEDED by then.",
    without: (pair) =>
      pair.call.want === "hangAndRespond" &&
      pair.unary.failure?.code === written(Code.DeadlineExceeded, pair.call) &&
      responded(pair)
        ? resolved(pair)
        : pair,
  },
  {
    name: "the message for a deadline",
    reason: "When the deadline has passed, the Connect pipeline does not know how long it was.",
    without: (pair) => {
      const { unary, connect } = pair;
      const text = "The call took longer than its deadline; it was not counted.";
      return connect.failure?.message === text && unary.failure?.message === text.replace("deadline", "deadline of 40 ms")
        ? { ...pair, connect: { ...connect, failure: { ...connect.failure, message: unary.failure.message } } }
        : pair;
    },
  },
  {
    name: "a message that cannot be written",
    reason:
      "connect-es writes it after the last interceptor, so we can neither put our own problem in its place nor settle it as INTERNAL.",
    without: (pair) =>
      pair.call.want === "unwritable" && pair.unary.settled.join() === "INTERNAL" && pair.connect.settled.join() === "OK"
        ? resolved(pair)
        : pair,
  },
  {
    name: "headers that a handler may not set",
    reason: "connect-es sends them. The unary pipeline leaves out headers that belong to HTTP, to a protocol or to the gateway.",
    without: (pair) => {
      const { call, unary, connect } = pair;
      if (call.want === "reservedHeaders" && connect.headers["connect-whatever"] === "1") {
        const id = unary.headers["x-request-id"];
        const headers = less(connect.headers, "connect-whatever", "accept-encoding", "x-request-id");
        return { ...pair, connect: { ...connect, headers: id === undefined ? headers : { ...headers, "x-request-id": id } } };
      }
      if (call.want === "reservedTrailers") {
        const headers = less(connect.headers, "trailer-content-type", "trailer-grpc-message");
        return { ...pair, connect: { ...connect, headers, trailers: less(connect.trailers, "content-type") } };
      }
      return pair;
    },
  },
  {
    name: "METHOD_UNKNOWN thrown by a handler",
    reason: "The unary pipeline answers 404 in Connect, as Connect's servers do for unknown paths. Connect's table has 501.",
    without: (pair) =>
      pair.call.want === "methodUnknown" && pair.unary.status === 404 && pair.connect.status === 501
        ? { ...pair, connect: { ...pair.connect, status: 404 } }
        : pair,
  },
  {
    name: "vary",
    reason: "connect-es sends no vary, though Connect's responses depend on accept-encoding.",
    without: (pair) => {
      const { unary, connect } = pair;
      const { vary } = connect.headers;
      const wanted = vary === undefined ? "accept-encoding" : `${vary}, accept-encoding`;
      return unary.headers.vary === wanted
        ? { ...pair, connect: { ...connect, headers: { ...connect.headers, vary: wanted } } }
        : pair;
    },
  },
  {
    name: "retry-after and link",
    reason:
      "The unary pipeline sends them as headers. connect-es treats them as the error's metadata and sends them in the trailers.",
    without: (pair) => {
      const { unary, connect } = pair;
      const names = ["retry-after", "link"].filter(
        (name) => name in connect.trailers && unary.headers[name] === connect.trailers[name] && !(name in connect.headers),
      );
      const moved = Object.fromEntries(names.map((name) => [name, connect.trailers[name] ?? ""]));
      return names.length === 0
        ? pair
        : {
            ...pair,
            connect: { ...connect, headers: { ...connect.headers, ...moved }, trailers: less(connect.trailers, ...names) },
          };
    },
  },
  {
    name: "retry-after of a 503",
    reason: "Every 503 of ours says when to retry, even if the failure does not. connect-es sends only what the failure says.",
    without: (pair) => {
      const { unary, connect, call } = pair;
      return !isGrpc(call) && unary.status === 503 && unary.headers["retry-after"] === "1" && !("retry-after" in connect.headers)
        ? { ...pair, connect: { ...connect, headers: { ...connect.headers, "retry-after": "1" } } }
        : pair;
    },
  },
  {
    name: "long trailers of gRPC-Web",
    reason:
      "connect-es compresses their frame like a message. The unary pipeline does not, because some clients cannot decompress it.",
    without: (pair) =>
      pair.connect.trailersIn === "compressed body" && pair.unary.trailersIn !== "compressed body"
        ? { ...pair, connect: { ...pair.connect, trailersIn: "body" } }
        : pair,
  },
  {
    name: "trailers-only",
    reason:
      "Where the handler has set nothing, the unary pipeline answers a failure with a head alone, as gRPC allows. connect-es sends trailers too.",
    without: (pair) => {
      const { unary, connect } = pair;
      if (unary.trailersIn !== "head" || connect.trailersIn === "head" || connect.trailersIn === "none") {
        return pair;
      }
      const moved = Object.keys(connect.trailers).filter(
        (name) => !(name in unary.trailers) && unary.headers[name] === connect.trailers[name],
      );
      const headers = { ...connect.headers, ...Object.fromEntries(moved.map((name) => [name, connect.trailers[name] ?? ""])) };
      return { ...pair, connect: { ...connect, trailersIn: "head", headers, trailers: less(connect.trailers, ...moved) } };
    },
  },
  {
    name: "the link of an error of connect-es",
    reason: "connect-es's own errors have none of our reasons, so they link to no page.",
    without: (pair) => {
      const { unary, connect } = pair;
      const isOurs = unary.failure !== undefined && unary.headers.link === `</errors/${unary.settled[0]}>; rel="help"`;
      const isTheirs = connect.failure !== undefined && !("link" in connect.headers) && !("link" in connect.trailers);
      return isOurs && isTheirs ? { ...pair, unary: { ...unary, headers: less(unary.headers, "link") } } : pair;
    },
  },
  {
    name: "grpc-retry-pushback-ms",
    reason: "connect-es refuses a single message that is too long before it calls an interceptor, so that refusal lacks it.",
    without: (pair) => {
      const { unary, connect } = pair;
      const name = "grpc-retry-pushback-ms";
      return bothRefused(pair) && refusedAs(pair, "BODY_TOO_LARGE") && unary.headers[name] === "-1" && !(name in connect.headers)
        ? { ...pair, connect: { ...connect, headers: { ...connect.headers, [name]: "-1" } } }
        : pair;
    },
  },
  {
    name: "the encodings that are accepted",
    reason:
      "gRPC and Connect ask a server to name them when it refuses one. connect-es drops that header because it belongs to the protocol.",
    without: (pair) => {
      const { unary, connect, call } = pair;
      const name = isGrpc(call) ? "grpc-accept-encoding" : "accept-encoding";
      return refusedAs(pair, "ENCODING_UNKNOWN") && name in unary.headers && !(name in connect.headers)
        ? { ...pair, connect: { ...connect, headers: { ...connect.headers, [name]: unary.headers[name] ?? "" } } }
        : pair;
    },
  },
  {
    name: "an encoding with an empty name",
    reason: "connect-es refuses it as unknown. The unary pipeline treats it as none.",
    without: (pair) =>
      pair.call.compression === "emptyName" && pair.connect.failure?.message.startsWith('unknown compression ""')
        ? resolved(pair)
        : pair,
  },
  {
    name: "an encoding in capitals in a query",
    reason: "connect-es compares names letter by letter. Those in headers are written plainly for it.",
    without: (pair) =>
      pair.call.compression === "upperCase" && pair.connect.failure?.message.startsWith('unknown compression "GZIP"')
        ? resolved(pair)
        : pair,
  },
  {
    name: "whether the response is compressed",
    reason:
      "connect-es compresses like the request if the caller does not say what it accepts, and compares names letter by letter; the unary pipeline compresses only if the caller accepts it, by the rules of HTTP's accept-encoding.",
    without: (pair) => {
      const { call, unary, connect } = pair;
      const name = isGrpc(call) ? "grpc-encoding" : "content-encoding";
      const may = call.accept === "none" || call.accept === "empty" ? "connect" : "unary";
      const other = may === "unary" ? "connect" : "unary";
      const odd = ["none", "empty", "any", "upperCase", "old"].includes(call.accept);
      const saying = pair[may].headers[name];
      if (!odd || saying !== "gzip" || pair[other].headers[name] !== undefined) {
        return pair;
      }
      const plain = {
        ...pair[may],
        headers: less(pair[may].headers, name),
        parts: pair[may].parts.map((part) => ({ ...part, compressed: false })),
      };
      return may === "unary" ? { call, unary: plain, connect } : { call, unary, connect: plain };
    },
  },
  {
    name: "the head of a refusal with an encoding",
    reason: "connect-es names its encoding even in a response without a message.",
    without: (pair) => {
      const { unary, connect } = pair;
      return connect.parts.length === 0 && connect.headers["grpc-encoding"] === "gzip" && !("grpc-encoding" in unary.headers)
        ? { ...pair, connect: { ...connect, headers: less(connect.headers, "grpc-encoding") } }
        : pair;
    },
  },
  {
    name: "a long failure",
    reason: "connect-es compresses Connect's errors like messages. The unary pipeline does not, so that every proxy can read them.",
    without: (pair) => {
      const { unary, connect } = pair;
      return unary.failure !== undefined && connect.failure !== undefined && connect.headers["content-encoding"] === "gzip"
        ? {
            ...pair,
            connect: { ...connect, headers: less(connect.headers, "content-encoding"), parts: unary.parts },
          }
        : pair;
    },
  },
  {
    name: "unknown flags of a frame",
    reason:
      "connect-es ignores the unknown ones, and treats a frame with gRPC-Web's trailer flag as the end. gRPC reserves them, so we refuse them.",
    without: (pair) =>
      pair.call.frameFault.startsWith("flag") && refusedAs(pair, "MALFORMED_REQUEST") && (passedOn(pair) || bothRefused(pair))
        ? resolved(pair)
        : pair,
  },
  {
    name: "a frame that ends after its head",
    reason: "connect-es treats it as no message. It is a truncated message.",
    without: (pair) =>
      pair.call.frameFault === "headOnly" &&
      refusedAs(pair, "MALFORMED_REQUEST") &&
      pair.connect.failure?.code === written(Code.Unimplemented, pair.call)
        ? withCode(pair)
        : pair,
  },
  {
    name: "more than one message",
    reason: "connect-es stops at what it considers the end, or calls the rest a truncated frame. There is more than one message.",
    without: (pair) =>
      refusedAs(pair, "NOT_ONE_MESSAGE") &&
      (bothRefused(pair) || passedOn(pair)) &&
      pair.connect.failure?.code !== written(Code.Unimplemented, pair.call)
        ? resolved(pair)
        : pair,
  },
  {
    name: "JSON that is not UTF-8",
    reason: "connect-es replaces what it cannot decode with U+FFFD. The unary pipeline refuses it: RFC 8259, section 8.1.",
    without: (pair) =>
      pair.call.form === "json" &&
      pair.call.bodyFault.startsWith("notUtf8") &&
      refusedAs(pair, "MALFORMED_REQUEST") &&
      passedOn(pair)
        ? resolved(pair)
        : pair,
  },
  {
    name: "the code for a malformed request",
    reason:
      "connect-es responds with `internal` to bytes that are not protobuf, gzip or base64. It is the caller's mistake: `invalid_argument`.",
    without: (pair) =>
      bothRefused(pair) && refusedAs(pair, "MALFORMED_REQUEST") && pair.connect.failure?.code === written(Code.Internal, pair.call)
        ? withCode(pair)
        : pair,
  },
  {
    name: "the order of two faults",
    reason:
      "A request may be wrong in two ways. The unary pipeline checks sizes and frames before it decompresses; connect-es checks them as it reads.",
    without: (pair) => {
      const { call } = pair;
      const faults = [
        call.bodyFault !== "none",
        call.frameFault !== "none",
        !["none", "gzip", "identity"].includes(call.compression),
        call.timeout !== "none",
        call.extra !== "none",
        call.message === "tooLong",
      ].filter(Boolean);
      const differ = pair.unary.failure?.code !== pair.connect.failure?.code;
      return faults.length > 1 && differ && bothRefused(pair) ? withCode(pair) : pair;
    },
  },
  {
    name: "the message and details of a refusal",
    reason: "A refusal by connect-es before it calls an interceptor has connect-es's message, and no details.",
    without: (pair) => {
      const { unary, connect } = pair;
      const same = unary.failure?.code === connect.failure?.code && unary.status === connect.status;
      return bothRefused(pair) && same ? { ...pair, connect: { ...connect, failure: unary.failure } } : pair;
    },
  },
  {
    name: "the reason of a refusal",
    reason: "The Connect pipeline settles each such request as MALFORMED_REQUEST. It is charged the same.",
    without: (pair) => {
      const { unary, connect } = pair;
      const [reason] = unary.settled;
      return unary.seen.length === 0 &&
        connect.seen.length === 0 &&
        unary.settled.length === 1 &&
        connect.settled.join() === "MALFORMED_REQUEST" &&
        reason !== undefined &&
        reason !== "OK" &&
        REASONS[reason as Reason].charged === REASONS.MALFORMED_REQUEST.charged
        ? { ...pair, connect: { ...connect, settled: unary.settled } }
        : pair;
    },
  },
  {
    name: "what an unknown encoding costs",
    reason:
      "connect-es refuses it before the call's end is known, like any head that is not well-formed. The unary pipeline names it.",
    without: (pair) => {
      const { unary, connect } = pair;
      const isSame = unary.settled.join() === "ENCODING_UNKNOWN" && connect.settled.join() === "MALFORMED_REQUEST";
      return refusedAs(pair, "ENCODING_UNKNOWN") && isSame ? { ...pair, connect: { ...connect, settled: unary.settled } } : pair;
    },
  },
];

// What a client may send on one connection, right and wrong, drawn by fast-check: a row of steps, and how their bytes are cut.
import fc from "fast-check";
import { FLAG, FRAME, frame } from "./frames.ts";
import { encodeFields, type Fields, settingsFrame, uint32 } from "./peer.ts";

/** Some frames that belong together. */
export interface Step {
  /** What it is, for whoever reads a difference. */
  readonly what: string;
  readonly bytes: Buffer;
  /** The stream that it asks on, and is answered on. */
  readonly stream?: number;
}

/** One connection's bytes behind the preface. */
export interface Connection {
  readonly steps: readonly Step[];
  /** What is wrong, sent once all that is right has been answered: what is on its way when a connection ends is a matter of chance. */
  readonly last: Step | undefined;
  /** How many bytes are written at a time, in turn; everything at once where there are none. */
  readonly cuts: readonly number[];
}

const pseudo = (stream: number, method: string): Fields => [
  [":method", method],
  [":scheme", "http"],
  // A stream is known to a handler by its path.
  [":path", `/${stream}`],
  [":authority", "a"],
];

const headers = (stream: number, fields: Fields, flags: number): Buffer =>
  frame(FRAME.HEADERS, FLAG.END_HEADERS | flags, stream, encodeFields(fields));

/** The same block in a HEADERS and CONTINUATIONs of so many octets. nghttp2 takes eight of them at most. */
function continued(stream: number, fields: Fields, flags: number, octets: number): Buffer {
  const block = encodeFields(fields);
  const pieces: Buffer[] = [];
  for (let at = 0; at < block.length; at += octets) {
    const end = at + octets >= block.length ? FLAG.END_HEADERS : 0;
    pieces.push(
      frame(at === 0 ? FRAME.HEADERS : FRAME.CONTINUATION, at === 0 ? flags | end : end, stream, block.subarray(at, at + octets)),
    );
  }
  return Buffer.concat(pieces);
}

const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
const name = fc.stringMatching(/^x-[a-z0-9]{1,8}$/);
const more = fc.uniqueArray(fc.tuple(name, value), { selector: ([text]) => text, maxLength: 4 });
const body = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 });
const padding = fc.integer({ min: 0, max: 20 });

/** Requests that are right, in all the forms that they may have. */
const rightRequest = (stream: number): fc.Arbitrary<Step> =>
  fc
    .oneof(
      more.map((fields) => ({ what: "GET", bytes: headers(stream, [...pseudo(stream, "GET"), ...fields], FLAG.END_STREAM) })),
      fc.tuple(more, fc.integer({ min: 25, max: 60 })).map(([fields, octets]) => ({
        what: "GET with CONTINUATION",
        bytes: continued(stream, [...pseudo(stream, "GET"), ...fields], FLAG.END_STREAM, octets),
      })),
      fc.tuple(more, padding).map(([fields, pad]) => ({
        what: "GET with padding and priority",
        bytes: frame(
          FRAME.HEADERS,
          FLAG.END_HEADERS | FLAG.END_STREAM | FLAG.PADDED | FLAG.PRIORITY,
          stream,
          Buffer.concat([Buffer.of(pad, 0, 0, 0, 0, 15), encodeFields([...pseudo(stream, "GET"), ...fields]), Buffer.alloc(pad)]),
        ),
      })),
      fc.tuple(more, body, fc.boolean(), padding).map(([fields, chunks, isPadded, pad]) => ({
        what: "POST",
        bytes: Buffer.concat([
          headers(stream, [...pseudo(stream, "POST"), ...fields], 0),
          ...chunks.map((chunk) =>
            isPadded
              ? frame(FRAME.DATA, FLAG.PADDED, stream, Buffer.concat([Buffer.of(pad), chunk, Buffer.alloc(pad)]))
              : frame(FRAME.DATA, 0, stream, chunk),
          ),
          frame(FRAME.DATA, FLAG.END_STREAM, stream),
        ]),
      })),
      body.map((chunks) => ({
        what: "POST with content-length",
        bytes: Buffer.concat([
          headers(stream, [...pseudo(stream, "POST"), ["content-length", String(Buffer.concat(chunks).length)]], 0),
          ...chunks.map((chunk) => frame(FRAME.DATA, 0, stream, chunk)),
          frame(FRAME.DATA, FLAG.END_STREAM, stream),
        ]),
      })),
      fc.tuple(body, more).map(([chunks, trailers]) => ({
        what: "POST with trailers",
        bytes: Buffer.concat([
          headers(stream, pseudo(stream, "POST"), 0),
          ...chunks.map((chunk) => frame(FRAME.DATA, 0, stream, chunk)),
          headers(stream, [["x-trailer", "1"], ...trailers], FLAG.END_STREAM),
        ]),
      })),
      fc.constant({
        what: "cookies apart",
        bytes: headers(stream, [...pseudo(stream, "GET"), ["cookie", "a=1"], ["cookie", "b=2"]], FLAG.END_STREAM),
      }),
      fc.constant({
        what: "te: trailers",
        bytes: headers(stream, [...pseudo(stream, "GET"), ["te", "trailers"]], FLAG.END_STREAM),
      }),
    )
    .map((step) => ({ ...step, stream }));

const withPseudo = (stream: number, key: string, text: string): Fields =>
  pseudo(stream, "GET").map(([name, known]) => [name, name === key ? text : known] as const);

/** Headers that make a request malformed. https://www.rfc-editor.org/rfc/rfc9113#section-8.1.1 */
const MALFORMED: readonly (readonly [what: string, fields: (stream: number) => Fields])[] = [
  ["no method", (stream) => pseudo(stream, "GET").slice(1)],
  ["no scheme", (stream) => pseudo(stream, "GET").filter(([key]) => key !== ":scheme")],
  ["no path", (stream) => pseudo(stream, "GET").filter(([key]) => key !== ":path")],
  ["an empty path", (stream) => pseudo(stream, "GET").map(([key, text]) => [key, key === ":path" ? "" : text] as const)],
  ["a path with a space", (stream) => withPseudo(stream, ":path", `/${stream} b`)],
  ["a path with a number sign", (stream) => withPseudo(stream, ":path", `/${stream}#b`)],
  ["a path with an octet above ASCII", (stream) => withPseudo(stream, ":path", `/${stream}\xe9`)],
  ["a path with a tab", (stream) => withPseudo(stream, ":path", `/${stream}\tb`)],
  ["a whole URL for a path", (stream) => withPseudo(stream, ":path", `http://a/${stream}`)],
  ["a method with a space", (stream) => withPseudo(stream, ":method", "GE T")],
  ["an empty method", (stream) => withPseudo(stream, ":method", "")],
  ["a scheme with a space", (stream) => withPseudo(stream, ":scheme", "ht tp")],
  ["an empty scheme", (stream) => withPseudo(stream, ":scheme", "")],
  ["an empty authority", (stream) => withPseudo(stream, ":authority", "")],
  ["a user before the host", (stream) => withPseudo(stream, ":authority", "user@a")],
  ["two hosts", (stream) => [...pseudo(stream, "GET"), ["host", "a"], ["host", "a"]]],
  ["two paths", (stream) => [...pseudo(stream, "GET"), [":path", "/"]]],
  ["two methods", (stream) => [[":method", "GET"], ...pseudo(stream, "GET")]],
  ["a pseudo-header behind a header", (stream) => [["x-a", "1"], ...pseudo(stream, "GET")]],
  ["an unknown pseudo-header", (stream) => [...pseudo(stream, "GET"), [":other", "1"]]],
  ["an answer's pseudo-header", (stream) => [...pseudo(stream, "GET"), [":status", "200"]]],
  ["connection", (stream) => [...pseudo(stream, "GET"), ["connection", "close"]]],
  ["keep-alive", (stream) => [...pseudo(stream, "GET"), ["keep-alive", "1"]]],
  ["proxy-connection", (stream) => [...pseudo(stream, "GET"), ["proxy-connection", "close"]]],
  ["transfer-encoding", (stream) => [...pseudo(stream, "GET"), ["transfer-encoding", "chunked"]]],
  ["upgrade", (stream) => [...pseudo(stream, "GET"), ["upgrade", "h2c"]]],
  ["another te", (stream) => [...pseudo(stream, "GET"), ["te", "gzip"]]],
  ["two lengths", (stream) => [...pseudo(stream, "GET"), ["content-length", "0"], ["content-length", "0"]]],
  ["a length that is no number", (stream) => [...pseudo(stream, "GET"), ["content-length", "-1"]]],
  ["a length without a body", (stream) => [...pseudo(stream, "GET"), ["content-length", "1"]]],
  ["an upper-case name", (stream) => [...pseudo(stream, "GET"), ["X-A", "1"]]],
  ["a name with a space", (stream) => [...pseudo(stream, "GET"), ["x a", "1"]]],
  ["an empty name", (stream) => [...pseudo(stream, "GET"), ["", "1"]]],
  ["a value with a line feed", (stream) => [...pseudo(stream, "GET"), ["x-a", "1\n2"]]],
  ["a value with a null", (stream) => [...pseudo(stream, "GET"), ["x-a", "\0"]]],
  ["a value that begins with a space", (stream) => [...pseudo(stream, "GET"), ["x-a", " 1"]]],
  ["another host", (stream) => [...pseudo(stream, "GET"), ["host", "b"]]],
  [
    "CONNECT",
    () => [
      [":method", "CONNECT"],
      [":authority", "a"],
    ],
  ],
];

export const LAST_STREAM = 101;

/** Frames that are wrong on their stream, or on any, and some that are odd and right. */
function oddFrames(stream: number): readonly Step[] {
  const open = headers(stream, pseudo(stream, "POST"), 0);
  const ended = headers(stream, pseudo(stream, "GET"), FLAG.END_STREAM);
  const all: readonly (readonly [string, ...Buffer[]])[] = [
    [
      "DATA longer than content-length",
      headers(stream, [...pseudo(stream, "POST"), ["content-length", "1"]], 0),
      frame(0, 1, stream, Buffer.alloc(2)),
    ],
    [
      "DATA shorter than content-length",
      headers(stream, [...pseudo(stream, "POST"), ["content-length", "3"]], 0),
      frame(0, 1, stream, Buffer.alloc(2)),
    ],
    ["trailers without the end", open, headers(stream, [["x-a", "1"]], 0)],
    ["trailers with a pseudo-header", open, headers(stream, [[":path", "/"]], FLAG.END_STREAM)],
    ["DATA on an idle stream", frame(FRAME.DATA, 0, stream + 100, Buffer.alloc(1))],
    ["DATA on stream 0", frame(FRAME.DATA, 0, 0, Buffer.alloc(1))],
    ["HEADERS on stream 0", frame(FRAME.HEADERS, 5, 0, encodeFields(pseudo(0, "GET")))],
    ["HEADERS on an even stream", frame(FRAME.HEADERS, 5, stream + 1, encodeFields(pseudo(0, "GET")))],
    ["RST_STREAM on an idle stream", frame(FRAME.RST_STREAM, 0, stream + 100, uint32(8))],
    ["RST_STREAM of five octets", open, frame(FRAME.RST_STREAM, 0, stream, Buffer.alloc(5))],
    ["RST_STREAM on stream 0", frame(FRAME.RST_STREAM, 0, 0, uint32(8))],
    ["a window update of nothing on a stream", open, frame(FRAME.WINDOW_UPDATE, 0, stream, uint32(0))],
    ["a window update of nothing", frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(0))],
    ["a window that overflows on a stream", open, frame(FRAME.WINDOW_UPDATE, 0, stream, uint32(0x7fffffff))],
    ["a window that overflows", frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(0x7fffffff))],
    ["a window update on an idle stream", frame(FRAME.WINDOW_UPDATE, 0, stream + 100, uint32(1))],
    ["a window update of three octets", frame(FRAME.WINDOW_UPDATE, 0, 0, Buffer.alloc(3))],
    ["SETTINGS of five octets", frame(FRAME.SETTINGS, 0, 0, Buffer.alloc(5))],
    ["SETTINGS on a stream", frame(FRAME.SETTINGS, 0, stream)],
    ["an acknowledgement of SETTINGS that has a payload", frame(FRAME.SETTINGS, FLAG.ACK, 0, Buffer.alloc(6))],
    ["SETTINGS with a push of 2", settingsFrame({ 2: 2 })],
    ["SETTINGS with a window over the limit", settingsFrame({ 4: 2 ** 31 })],
    ["SETTINGS with frames under the limit", settingsFrame({ 5: 16_383 })],
    ["SETTINGS with frames over the limit", settingsFrame({ 5: 2 ** 24 })],
    ["an acknowledgement of no PING", frame(FRAME.PING, FLAG.ACK, 0, Buffer.alloc(8))],
    ["PING of seven octets", frame(FRAME.PING, 0, 0, Buffer.alloc(7))],
    ["PING on a stream", frame(FRAME.PING, 0, stream, Buffer.alloc(8))],
    ["PRIORITY of four octets", frame(FRAME.PRIORITY, 0, stream, Buffer.alloc(4))],
    ["PRIORITY on stream 0", frame(FRAME.PRIORITY, 0, 0, Buffer.alloc(5))],
    ["PUSH_PROMISE", frame(FRAME.PUSH_PROMISE, FLAG.END_HEADERS, stream, uint32(2))],
    ["CONTINUATION without HEADERS", frame(FRAME.CONTINUATION, FLAG.END_HEADERS, stream)],
    [
      "another frame in the midst of a block",
      frame(FRAME.HEADERS, 0, stream, encodeFields([[":method", "GET"]])),
      frame(FRAME.PING, 0, 0, Buffer.alloc(8)),
    ],
    [
      "CONTINUATION on another stream",
      frame(FRAME.HEADERS, 0, stream, encodeFields([[":method", "GET"]])),
      frame(FRAME.CONTINUATION, 4, stream + 2),
    ],
    ["padding longer than the frame", open, frame(FRAME.DATA, FLAG.PADDED, stream, Buffer.of(5, 0, 0))],
    ["padding without a length", open, frame(FRAME.DATA, FLAG.PADDED, stream)],
    ["HEADERS whose padding is too long", frame(FRAME.HEADERS, 4 | FLAG.PADDED, stream, Buffer.of(20, 0x82))],
    ["a block that can not be decoded", frame(FRAME.HEADERS, 5, stream, Buffer.of(0x80))],
    ["a frame over the limit", open, frame(FRAME.DATA, 0, stream, Buffer.alloc(16_385))],
    ["GOAWAY of four octets", frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(4))],
    ["GOAWAY on a stream", frame(FRAME.GOAWAY, 0, stream, Buffer.alloc(8))],
    ["DATA behind the end", ended, frame(FRAME.DATA, 0, stream, Buffer.alloc(1))],
    ["HEADERS behind the end", ended, headers(stream, [["x-a", "1"]], FLAG.END_STREAM)],
    ["a reset behind the end", ended, frame(FRAME.RST_STREAM, 0, stream, uint32(8))],
    [
      "a body that is broken off",
      open,
      frame(FRAME.DATA, 0, stream, Buffer.alloc(10)),
      frame(FRAME.RST_STREAM, 0, stream, uint32(8)),
    ],
    ["DATA behind a reset", open, frame(FRAME.RST_STREAM, 0, stream, uint32(8)), frame(FRAME.DATA, 0, stream, Buffer.alloc(1))],
    [
      "HEADERS of a stream that depends on itself",
      frame(
        FRAME.HEADERS,
        FLAG.END_HEADERS | FLAG.END_STREAM | FLAG.PRIORITY,
        stream,
        Buffer.concat([uint32(stream), Buffer.of(1), encodeFields(pseudo(stream, "GET"))]),
      ),
    ],
    ["a stream that depends on itself", frame(FRAME.PRIORITY, 0, stream, Buffer.concat([uint32(stream), Buffer.of(1)]))],
  ];
  return all.map(([what, ...frames]) => ({ what, bytes: Buffer.concat(frames) }));
}

/** All that may be the last of a connection. */
export const LAST_STEPS: readonly Step[] = [
  ...MALFORMED.map(([what, fields]) => ({ what, bytes: headers(LAST_STREAM, fields(LAST_STREAM), FLAG.END_STREAM) })),
  ...oddFrames(LAST_STREAM),
];

/** Frames that change nothing. */
const harmless: fc.Arbitrary<Step> = fc.constantFrom(
  { what: "PING", bytes: frame(FRAME.PING, 0, 0, Buffer.alloc(8)) },
  { what: "an unknown frame", bytes: frame(0x42, 0xff, 7, Buffer.alloc(5)) },
  { what: "an unknown setting", bytes: settingsFrame({ 16962: 1 }) },
  { what: "a larger window", bytes: frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(1000)) },
  { what: "another first window", bytes: settingsFrame({ 4: 100_000 }) },
  { what: "another table size", bytes: settingsFrame({ 1: 100 }) },
  { what: "PRIORITY", bytes: frame(FRAME.PRIORITY, 0, 1, Buffer.of(0, 0, 0, 0, 15)) },
);

const STEPS_MAX = 6;

/** Whole connections. */
export const connections: fc.Arbitrary<Connection> = fc
  .tuple(
    fc
      .integer({ min: 0, max: STEPS_MAX })
      .chain((count) =>
        fc.tuple(
          ...Array.from({ length: count }, (_, index) =>
            fc.oneof({ weight: 4, arbitrary: rightRequest(2 * index + 1) }, { weight: 1, arbitrary: harmless }),
          ),
        ),
      ),
    fc.option(fc.constantFrom(...LAST_STEPS), { nil: undefined }),
    fc.oneof(fc.constant([]), fc.constant([1]), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })),
  )
  .map(([steps, last, cuts]) => ({ steps, last, cuts }));

// Floods: frames that cost their sender less than their receiver. Each is an endless sequence of pieces: a test sends as many as a server
// tolerates, and a benchmark as many as it needs.
import { FLAG, FRAME, frame } from "./frames.ts";
import { encodeFields, type Fields, requestFrame, settingsFrame, uint32 } from "./peer.ts";

/** One flood. */
export interface Attack {
  readonly name: string;
  /** Sent once before it, after the preface. */
  readonly opening?: Buffer;
  /** The piece at an index. */
  readonly piece: (number: number) => Buffer;
  /** Whether each piece would call a handler. */
  readonly isRequesting?: boolean;
}

/** The client's streams by index. Stream 1 is for the opening. */
const streamOf = (number: number): number => 2 * number + 3;

const openPost = requestFrame(1, { method: "POST", end: false });
const post = (stream: number, ...more: readonly (readonly [string, string])[]): Buffer =>
  requestFrame(stream, { method: "POST", end: false, more });
const closed = Buffer.concat([openPost, frame(FRAME.RST_STREAM, 0, 1, uint32(8))]);
const trailersOf = (stream: number, fields: Fields): Buffer =>
  frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, stream, encodeFields(fields));
const fill = Buffer.alloc(1000, 0x82);

/** All floods, named by what is sent repeatedly. */
export const FLOODS: readonly Attack[] = [
  {
    name: "CONTINUATION without an end",
    opening: frame(FRAME.HEADERS, FLAG.END_STREAM, 1, encodeFields([[":method", "GET"]])),
    piece: () => frame(FRAME.CONTINUATION, 0, 1, fill),
  },
  {
    name: "empty CONTINUATION",
    opening: frame(FRAME.HEADERS, FLAG.END_STREAM, 1, encodeFields([[":method", "GET"]])),
    piece: () => frame(FRAME.CONTINUATION, 0, 1),
  },
  {
    name: "requests that are cancelled at once",
    piece: (number) => Buffer.concat([requestFrame(streamOf(number)), frame(FRAME.RST_STREAM, 0, streamOf(number), uint32(8))]),
    isRequesting: true,
  },
  {
    name: "streams that we must reset for a window update of nothing",
    piece: (number) => Buffer.concat([post(streamOf(number)), frame(FRAME.WINDOW_UPDATE, 0, streamOf(number), uint32(0))]),
    isRequesting: true,
  },
  {
    name: "streams that we must reset for a window that overflows",
    piece: (number) => Buffer.concat([post(streamOf(number)), frame(FRAME.WINDOW_UPDATE, 0, streamOf(number), uint32(0x7fffffff))]),
    isRequesting: true,
  },
  {
    name: "streams that we must reset for a body of another length",
    piece: (number) =>
      Buffer.concat([
        post(streamOf(number), ["content-length", "1"]),
        frame(FRAME.DATA, FLAG.END_STREAM, streamOf(number), Buffer.alloc(2)),
      ]),
    isRequesting: true,
  },
  {
    name: "streams that we must reset for malformed headers",
    piece: (number) => requestFrame(streamOf(number), { more: [["connection", "close"]] }),
  },
  {
    name: "streams that we must reset for DATA after their end",
    piece: (number) => Buffer.concat([requestFrame(streamOf(number)), frame(FRAME.DATA, 0, streamOf(number), Buffer.alloc(1))]),
    isRequesting: true,
  },
  {
    name: "streams that we must reset for HEADERS after their end",
    piece: (number) => Buffer.concat([requestFrame(streamOf(number)), trailersOf(streamOf(number), [["x-a", "1"]])]),
    isRequesting: true,
  },
  {
    name: "streams that we must reset for trailers with a pseudo-header",
    piece: (number) => Buffer.concat([post(streamOf(number)), trailersOf(streamOf(number), [[":path", "/"]])]),
    isRequesting: true,
  },
  {
    name: "streams that we must reset for trailers that are too large",
    piece: (number) =>
      Buffer.concat([
        post(streamOf(number)),
        trailersOf(
          streamOf(number),
          [...Array(200).keys()].map((at) => [`x-${at}`, "1"]),
        ),
      ]),
    isRequesting: true,
  },
  {
    name: "streams that we must reset because they depend on themselves",
    piece: (number) =>
      Buffer.concat([
        post(streamOf(number)),
        frame(FRAME.PRIORITY, 0, streamOf(number), Buffer.concat([uint32(streamOf(number)), Buffer.of(15)])),
      ]),
    isRequesting: true,
  },
  {
    name: "streams that we must reset for a priority of another length",
    piece: (number) => Buffer.concat([post(streamOf(number)), frame(FRAME.PRIORITY, 0, streamOf(number), Buffer.alloc(4))]),
    isRequesting: true,
  },
  { name: "requests over the limit of streams", piece: (number) => requestFrame(streamOf(number)), isRequesting: true },
  {
    name: "HPACK tables of another size with each malformed request",
    piece: (number) =>
      frame(
        FRAME.HEADERS,
        FLAG.END_HEADERS | FLAG.END_STREAM,
        streamOf(number),
        Buffer.concat([Buffer.of(0x20, 0x3f, 0xe1, 0x1f), encodeFields([["x-a", "1"]])]),
      ),
  },
  { name: "PING", piece: () => frame(FRAME.PING, 0, 0, Buffer.alloc(8)) },
  { name: "SETTINGS", piece: () => settingsFrame({}) },
  { name: "SETTINGS that change every window", piece: (number) => settingsFrame({ 4: number % 2 === 0 ? 0 : 65_535 }) },
  { name: "PRIORITY", piece: (number) => frame(FRAME.PRIORITY, 0, streamOf(number), Buffer.of(0, 0, 0, 0, 15)) },
  { name: "empty DATA", opening: openPost, piece: () => frame(FRAME.DATA, 0, 1) },
  { name: "DATA with only padding", opening: openPost, piece: () => frame(FRAME.DATA, FLAG.PADDED, 1, Buffer.of(0)) },
  { name: "frames of an unknown type", piece: () => frame(0x42, 0, 0) },
  { name: "window updates of one byte", piece: () => frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(1)) },
  { name: "acknowledgements of no PING", piece: () => frame(FRAME.PING, FLAG.ACK, 0, Buffer.alloc(8)) },
  { name: "acknowledgements of no SETTINGS", piece: () => frame(FRAME.SETTINGS, FLAG.ACK, 0) },
  { name: "GOAWAY", piece: () => frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(8)) },
  { name: "PRIORITY_UPDATE", piece: (number) => frame(0x10, 0, 0, Buffer.concat([uint32(streamOf(number)), Buffer.from("u=0")])) },
  { name: "window updates of a stream that is closed", opening: closed, piece: () => frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(1)) },
  {
    name: "DATA of a stream that we have reset",
    opening: Buffer.concat([openPost, frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(0))]),
    piece: () => frame(FRAME.DATA, 0, 1, Buffer.alloc(1)),
  },
  {
    name: "HEADERS of a stream that we have reset",
    opening: Buffer.concat([openPost, frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(0))]),
    piece: () => trailersOf(1, [["x-a", "1"]]),
  },
  { name: "RST_STREAM of one stream", opening: openPost, piece: () => frame(FRAME.RST_STREAM, 0, 1, uint32(8)) },
];

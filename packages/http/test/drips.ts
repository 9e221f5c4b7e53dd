// Peers that send byte by byte (slow loris), to hold a connection at the cost of a few bytes.
import { DEFAULT_LIMITS } from "../src/limits.ts";
import { FLAG, FRAME, frame, PREFACE } from "./h2/frames.ts";
import { encodeFields, requestFrame, settingsFrame } from "./h2/peer.ts";

const { bodyTimeoutMs, firstByteTimeoutMs, headerTimeoutMs } = DEFAULT_LIMITS;

/** One kind of them. */
export interface Drip {
  readonly what: string;
  /** Sent at once. */
  readonly opening: Buffer;
  /** Sent after it, byte by byte, and never completed. */
  readonly rest: Buffer;
  /** When the server ends it, counted from its first byte. */
  readonly timeoutMs: number;
  /** What the peer then receives. */
  readonly response: string;
}

const FRAME_HEAD_BYTES = 9;
const started = Buffer.concat([PREFACE, settingsFrame({})]);
const settings = settingsFrame({ 4: 1 });
const head = requestFrame(1, { more: [["x-a", "a".repeat(100)]] });
const data = frame(FRAME.DATA, 0, 1, Buffer.alloc(100, "a"));
const post = requestFrame(1, { method: "POST", end: false });

/** All kinds. */
export const DRIPS: readonly Drip[] = [
  {
    what: "what may be HTTP/1.1 or HTTP/2",
    opening: Buffer.alloc(0),
    rest: PREFACE.subarray(0, 3),
    timeoutMs: firstByteTimeoutMs,
    response: "",
  },
  {
    what: "a head of HTTP/1.1",
    opening: Buffer.from("GET / HTTP/1.1\r\n"),
    rest: Buffer.from("x-a: 1234567"),
    timeoutMs: headerTimeoutMs,
    response: "HTTP/1.1 4",
  },
  {
    what: "a body of HTTP/1.1",
    opening: Buffer.from("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n"),
    rest: Buffer.alloc(99, "a"),
    timeoutMs: bodyTimeoutMs,
    response: "HTTP/1.1 422",
  },
  {
    what: "HTTP/2's preface",
    opening: PREFACE.subarray(0, 4),
    rest: PREFACE.subarray(4, 23),
    timeoutMs: headerTimeoutMs,
    response: "a frame did not arrive in time",
  },
  {
    what: "the first SETTINGS",
    opening: PREFACE,
    rest: settings.subarray(0, -1),
    timeoutMs: headerTimeoutMs,
    response: "a frame did not arrive in time",
  },
  {
    what: "a frame of HEADERS",
    opening: started,
    rest: head.subarray(0, -1),
    timeoutMs: headerTimeoutMs,
    response: "a frame did not arrive in time",
  },
  {
    what: "a header block in CONTINUATIONs",
    opening: Buffer.concat([started, frame(FRAME.HEADERS, FLAG.END_STREAM, 1, encodeFields([[":method", "GET"]]))]),
    rest: frame(FRAME.CONTINUATION, 0, 1, Buffer.alloc(10)).subarray(0, -1),
    timeoutMs: headerTimeoutMs,
    response: "a header block did not arrive in time",
  },
  {
    what: "a body of HTTP/2",
    opening: Buffer.concat([started, post, data.subarray(0, FRAME_HEAD_BYTES)]),
    rest: data.subarray(FRAME_HEAD_BYTES, -1),
    timeoutMs: bodyTimeoutMs,
    response: "REQUEST_TIMEOUT",
  },
];

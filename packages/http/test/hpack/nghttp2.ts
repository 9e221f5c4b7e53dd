// Node's own HTTP/2, nghttp2, as a second decoder and encoder of header blocks.
import { connect, performServerHandshake, type Settings, sensitiveHeaders } from "node:http2";
import type { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { FLAG, FRAME, type Frame, FrameReader, frame, PREFACE } from "../h2/frames.ts";

/** The outcome of a block: its headers as `name: value`, or the code of its stream's reset, or the code that ended the connection. */
export type Decoded = readonly string[] | { readonly reset: number } | { readonly goaway: number };

/** Alternating names and values, and the names of the secret ones. */
export interface HeadersToEncode {
  readonly flat: readonly string[];
  readonly secrets: readonly string[];
}

/** More than a test sends. */
const MANY = 1_000_000;
const OPTIONS = {
  maxHeaderListPairs: MANY,
  maxSessionInvalidFrames: MANY,
  maxSessionRejectedStreams: MANY,
  streamResetBurst: MANY,
};
const SETTINGS: Settings = { maxConcurrentStreams: MANY, maxHeaderListSize: MANY };

/** Sends the blocks to Node's server, each as the head of its own request, until one ends the connection. */
export async function decodeWithNghttp2(blocks: readonly Buffer[]): Promise<readonly Decoded[]> {
  const [ours, theirs] = duplexPair();
  const session = performServerHandshake(theirs as Socket, { ...OPTIONS, settings: SETTINGS });
  session.on("error", () => {});
  let current: Decoded = [];
  session.on("stream", (stream, _headers, _flags, rawHeaders) => {
    stream.on("error", () => {});
    current = linesOf(rawHeaders as string[]);
  });
  const decoded: Decoded[] = [];
  let told = (_isEnd: boolean): void => {};
  framesUntil(ours, ({ type, flags, payload }) => {
    if (type === FRAME.RST_STREAM) {
      current = { reset: payload.readUInt32BE(0) };
    }
    if (type === FRAME.GOAWAY) {
      current = { goaway: payload.readUInt32BE(4) };
    }
    const isEnd = type === FRAME.GOAWAY;
    if (isEnd || (type === FRAME.PING && flags === FLAG.ACK)) {
      // The reset comes after the acknowledgement, and streams are reported a tick later.
      setImmediate(told, isEnd);
    }
    return isEnd;
  });
  ours.write(PREFACE);
  ours.write(frame(FRAME.SETTINGS, 0, 0));
  ours.write(frame(FRAME.SETTINGS, FLAG.ACK, 0));
  for (const [index, block] of blocks.entries()) {
    current = [];
    const isTold = new Promise<boolean>((resolve) => {
      told = resolve;
    });
    ours.write(Buffer.concat([headersFrames(2 * index + 1, block), frame(FRAME.PING, 0, 0, Buffer.alloc(8))]));
    const isEnd = await isTold;
    decoded.push(current);
    if (isEnd) {
      break;
    }
  }
  session.destroy();
  ours.destroy();
  return decoded;
}

/**
 * Encodes requests with Node's client on one connection, and returns the blocks. `tableBytesMax` is what the other end announces as
 * SETTINGS_HEADER_TABLE_SIZE.
 */
export async function encodeWithNghttp2(requests: readonly HeadersToEncode[], tableBytesMax: number): Promise<readonly Buffer[]> {
  const [ours, theirs] = duplexPair();
  const session = connect("http://localhost", { ...OPTIONS, createConnection: () => theirs as Socket });
  session.on("error", () => {});
  const blocks: Buffer[] = [];
  let pieces: Buffer[] = [];
  const isDone = framesUntil(
    ours,
    ({ type, flags, payload }) => {
      if (type === FRAME.HEADERS || type === FRAME.CONTINUATION) {
        pieces.push(payload);
        if ((flags & FLAG.END_HEADERS) !== 0) {
          blocks.push(Buffer.concat(pieces));
          pieces = [];
        }
      }
      return blocks.length === requests.length;
    },
    PREFACE.length,
  );
  const tableSize = Buffer.alloc(12);
  tableSize.writeUInt16BE(1, 0);
  tableSize.writeUInt32BE(tableBytesMax, 2);
  tableSize.writeUInt16BE(3, 6);
  tableSize.writeUInt32BE(MANY, 8);
  ours.write(frame(FRAME.SETTINGS, 0, 0, tableSize));
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  for (const { flat, secrets } of requests) {
    const headers = Object.assign([...flat], { [sensitiveHeaders]: [...secrets] });
    session.request(headers, { endStream: true }).on("error", () => {});
  }
  await isDone;
  session.destroy();
  ours.destroy();
  return blocks;
}

/** HEADERS with as many CONTINUATIONs as the block needs, and the end of the request. */
function headersFrames(stream: number, block: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at === 0 || at < block.length; at += 16_384) {
    const flags = (at === 0 ? FLAG.END_STREAM : 0) | (at + 16_384 >= block.length ? FLAG.END_HEADERS : 0);
    pieces.push(frame(at === 0 ? FRAME.HEADERS : FRAME.CONTINUATION, flags, stream, block.subarray(at, at + 16_384)));
  }
  return Buffer.concat(pieces);
}

const linesOf = (flat: readonly string[]): readonly string[] =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${flat[index + 1]}`] : []));

/** Reads frames until `isLast`, or until the other end closes. `skipped` bytes precede the first. */
function framesUntil(end: Duplex, isLast: (frame: Frame) => boolean, skipped = 0): Promise<void> {
  const reader = new FrameReader(skipped);
  return new Promise((resolve) => {
    end.on("data", (bytes: Buffer) => {
      if (reader.take(bytes).map(isLast).includes(true)) {
        resolve();
      }
    });
    end.once("close", resolve);
    end.once("end", resolve);
  });
}

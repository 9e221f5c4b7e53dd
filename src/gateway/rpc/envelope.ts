// The envelope around a message in gRPC and gRPC-Web: one byte of flags, four bytes of length, the message.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#requests
import { Failure, malformed } from "../../problem/failure.ts";
import type { MessageLimits } from "./codec.ts";
import { COMPRESS_BYTES_MIN, compress, decompress, isGzip, tooLarge } from "./compression.ts";

const HEAD_BYTES = 5;
/** Marks a frame with compressed content. */
export const COMPRESSED_FLAG = 0b0000_0001;

/** Marks gRPC-Web's last frame, which contains the trailers. */
export const TRAILER_FLAG = 0b1000_0000;

/** How much longer an envelope is than its message. */
export const ENVELOPE_HEAD_BYTES = HEAD_BYTES;

/**
 * The message of a body that must contain exactly one envelope. Throws a Failure: NOT_ONE_MESSAGE, MALFORMED_REQUEST or one of
 * `decompress`.
 */
export function readEnvelope(
  body: Uint8Array,
  encoding: string | undefined,
  limits: Pick<MessageLimits, "messageBytesMax" | "allowsGzip">,
): Uint8Array {
  const { messageBytesMax } = limits;
  // An unknown encoding is refused even if the message is not compressed.
  const isNamed = isGzip(encoding, limits);
  if (body.byteLength === 0) {
    throw new Failure({ reason: "NOT_ONE_MESSAGE", message: "The request contains no message; this method takes exactly one." });
  }
  if (body.byteLength < HEAD_BYTES) {
    throw malformed("The request's message frame is cut short.");
  }
  const byte = (at: number): number => body[at] as number;
  const flags = byte(0);
  const length = ((byte(1) << 24) | (byte(2) << 16) | (byte(3) << 8) | byte(4)) >>> 0;
  if (length > messageBytesMax) {
    throw new Failure(tooLarge(messageBytesMax));
  }
  if (body.byteLength < HEAD_BYTES + length) {
    throw malformed("The request's message frame is cut short.");
  }
  if (body.byteLength > HEAD_BYTES + length) {
    throw new Failure({
      reason: "NOT_ONE_MESSAGE",
      message: "The request contains more than one message; this method takes exactly one.",
    });
  }
  if ((flags & ~COMPRESSED_FLAG) !== 0) {
    throw malformed("The request's message frame has unknown flags.");
  }
  const message = body.subarray(HEAD_BYTES);
  if ((flags & COMPRESSED_FLAG) === 0) {
    return message;
  }
  if (!isNamed) {
    throw new Failure({
      reason: "COMPRESSION_UNNAMED",
      message: "The request's message is marked as compressed, but no compression is named in grpc-encoding.",
    });
  }
  return decompress(message, encoding, limits);
}

/** An envelope around a message. With `gzip` the message is compressed, unless it is too short to be worth it. */
export function writeEnvelope(message: Uint8Array, gzip: boolean): Buffer {
  const isCompressed = gzip && message.byteLength >= COMPRESS_BYTES_MIN;
  return frame(isCompressed ? COMPRESSED_FLAG : 0, isCompressed ? compress(message) : message);
}

/** An envelope with any flags. */
export function frame(flags: number, data: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(HEAD_BYTES + data.byteLength);
  framed.writeUInt8(flags, 0);
  framed.writeUInt32BE(data.byteLength, 1);
  framed.set(data, HEAD_BYTES);
  return framed;
}

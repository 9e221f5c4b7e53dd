// gzip in both directions, bounded on the way in. Bodies are small, so both run at once and not on a thread: handing 64 KiB to the
// thread pool and back costs more than it saves.
import { gunzipSync, gzipSync } from "node:zlib";
import { Failure } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import type { MessageLimits } from "./codec.ts";

type UnpackLimits = Pick<MessageLimits, "messageBytesMax" | "takesGzip">;

/** Under this many bytes an answer is not compressed: gzip's own bytes and time would eat the gain. */
export const COMPRESS_BYTES_MIN = 1024;

/** The problem of a message that is larger than allowed. */
export function tooLarge(messageBytesMax: number): Problem {
  return { reason: "BODY_TOO_LARGE", message: `The message is longer than ${messageBytesMax} bytes.` };
}

/** Whether an encoding, by its name, changes anything. Throws a Failure when it is not known, or not taken. */
export function isGzip(encoding: string | undefined, { takesGzip }: Pick<MessageLimits, "takesGzip">): boolean {
  if (encoding === undefined || encoding === "" || encoding === "identity") {
    return false;
  }
  if (!takesGzip) {
    throw new Failure({
      reason: "ENCODING_UNKNOWN",
      message: "This method takes no compressed request; send it as it is, without an encoding.",
      acceptedEncoding: "identity",
    });
  }
  if (encoding === "gzip") {
    return true;
  }
  throw new Failure({
    reason: "ENCODING_UNKNOWN",
    message: "The request's compression is not known here; use gzip, identity or none.",
  });
}

/** Refuses, before a body is read, an encoding that `decompress` would not take. Throws a Failure. */
export function requireEncoding(encoding: string | undefined, limits: Pick<MessageLimits, "takesGzip">): void {
  isGzip(encoding, limits);
}

/**
 * Decompresses by the name of an encoding; what is empty is so already, and some clients do not compress it. Throws a Failure: an encoding
 * that is not known or not taken, bad data, or more than `messageBytesMax` bytes.
 */
export function decompress(data: Uint8Array, encoding: string | undefined, limits: UnpackLimits): Uint8Array {
  const { messageBytesMax } = limits;
  if (!isGzip(encoding, limits) || data.byteLength === 0) {
    return data;
  }
  try {
    return gunzipSync(data, { maxOutputLength: messageBytesMax });
  } catch (thrown) {
    const isTooLarge = thrown instanceof Error && "code" in thrown && thrown.code === "ERR_BUFFER_TOO_LARGE";
    throw new Failure(
      isTooLarge ? tooLarge(messageBytesMax) : { reason: "MALFORMED_REQUEST", message: "The request's body is not valid gzip." },
    );
  }
}

/** Whether an `accept-encoding` header, HTTP's or a protocol's own, takes gzip. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) {
    return false;
  }
  const text = Array.isArray(header) ? header.join() : header;
  return /(?:^|[,\s])(?:x-)?gzip\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:,|$)))/i.test(text);
}

/** gzip, at the level that costs least for what it saves on JSON and protobuf of this size. */
export function compress(data: Uint8Array): Uint8Array {
  return gzipSync(data, { level: 1 });
}

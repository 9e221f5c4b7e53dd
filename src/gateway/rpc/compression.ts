// gzip in both directions, with limits on decompression. Synchronous, because bodies are small: handing 64 KiB to the thread pool
// and back costs more than it saves.
import { gunzipSync, gzipSync } from "node:zlib";
import { byteSize } from "@quintet/http";
import { Failure } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import { codingOf } from "../media-type.ts";
import type { MessageLimits } from "./codec.ts";

type UnpackLimits = Pick<MessageLimits, "messageBytesMax" | "allowsGzip">;

/** Shorter responses are not compressed: gzip's header and time would cost more than it saves. */
export const COMPRESS_BYTES_MIN = 1024;

/** The problem of a message that is longer than allowed. */
export function tooLarge(messageBytesMax: number): Problem {
  return { reason: "BODY_TOO_LARGE", message: `The message is longer than ${byteSize(messageBytesMax)}.` };
}

/**
 * Whether an encoding is gzip; false for none and for identity. Throws a Failure ENCODING_UNKNOWN for any other, and for gzip if
 * the method does not accept it.
 */
export function isGzip(encoding: string | undefined, { allowsGzip }: Pick<MessageLimits, "allowsGzip">): boolean {
  const coding = codingOf(encoding);
  if (coding === "") {
    return false;
  }
  if (!allowsGzip) {
    throw new Failure({
      reason: "ENCODING_UNKNOWN",
      message: "This method does not accept a compressed request; send it without an encoding.",
      acceptedEncoding: "identity",
    });
  }
  if (coding === "gzip") {
    return true;
  }
  throw new Failure({
    reason: "ENCODING_UNKNOWN",
    message: "The request's compression is not supported; use gzip, identity or none.",
  });
}

/** Checks an encoding before the body is read. Throws the Failure that `decompress` would throw for it. */
export function requireEncoding(encoding: string | undefined, limits: Pick<MessageLimits, "allowsGzip">): void {
  isGzip(encoding, limits);
}

/**
 * Decompresses a message by the name of its encoding. An empty message is returned unchanged, since some clients do not compress
 * it. Throws a Failure: ENCODING_UNKNOWN as `isGzip` does, MALFORMED_REQUEST for bad data, BODY_TOO_LARGE for more than
 * `messageBytesMax` bytes.
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

/** Compresses with gzip at level 1: for JSON and protobuf of this size, higher levels cost much time and save little. */
export function compress(data: Uint8Array): Uint8Array {
  return gzipSync(data, { level: 1 });
}

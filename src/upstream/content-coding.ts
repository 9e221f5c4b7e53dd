// Decodes the content coding of a complete body, within a limit: a few kilobytes can decompress to gigabytes.
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { UpstreamFault } from "./fault.ts";
import { wholeOf } from "./whole-body.ts";

/** The supported codings, as sent in `accept-encoding`. */
export const ACCEPTED_CODINGS = "gzip, br";

// Larger than by default: the thread has something to do for each chunk.
const CHUNK_BYTES = 128 * 1024;

const DECOMPRESSORS = new Map<string, () => Transform>([
  ["gzip", () => createGunzip({ chunkSize: CHUNK_BYTES })],
  ["x-gzip", () => createGunzip({ chunkSize: CHUNK_BYTES })],
  ["br", () => createBrotliDecompress({ chunkSize: CHUNK_BYTES })],
]);

/**
 * The decoded body. `coding` is the `content-encoding` header. Throws an UpstreamFault "body" if we did not ask for the coding, if
 * the bytes are invalid, or if the result exceeds `bytesMax`.
 */
export async function decoded(body: Buffer, coding: string | undefined, bytesMax: number): Promise<Buffer> {
  const name = (coding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") {
    return body;
  }
  const unpacker = DECOMPRESSORS.get(name)?.();
  if (unpacker === undefined) {
    throw new UpstreamFault("body", "the body has a content coding that was not requested");
  }
  try {
    unpacker.end(body);
    return await wholeOf(unpacker, bytesMax);
  } catch (cause) {
    throw new UpstreamFault("body", "the body cannot be decompressed, or becomes too large", { cause });
  }
}

// Decodes the content coding of a complete body, within a limit: a few kilobytes can decompress to gigabytes.
import type { Transform } from "node:stream";
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync, type ZlibOptions } from "node:zlib";
import { UpstreamFault } from "./fault.ts";
import { wholeOf } from "./whole-body.ts";

/** The supported codings, as sent in `accept-encoding`. */
export const ACCEPTED_CODINGS = "gzip, br";

interface Decompressor {
  /** Decompresses in other threads, chunk by chunk. */
  create(options: ZlibOptions): Transform;
  /** Decompresses in this thread, which takes a third of the CPU time for a small body. */
  atOnce(body: Buffer, options: ZlibOptions): Buffer;
}

const GZIP: Decompressor = { create: createGunzip, atOnce: gunzipSync };
const BROTLI: Decompressor = { create: createBrotliDecompress, atOnce: brotliDecompressSync };
const DECOMPRESSORS: ReadonlyMap<string, Decompressor> = new Map([
  ["gzip", GZIP],
  ["x-gzip", GZIP],
  ["br", BROTLI],
]);

// Larger than the default, because each chunk costs the thread some work.
const CHUNK_BYTES = 128 * 1024;
/** The largest body that is decompressed synchronously: its compressed and decompressed sizes. That takes less than a millisecond. */
const SMALL_BODY_BYTES_MAX = 32 * 1024;
const SMALL_RESULT_BYTES_MAX = 256 * 1024;
/** Most results fit into one of these. */
const SMALL_CHUNK_BYTES = 32 * 1024;

/**
 * The decoded body. `coding` is the `content-encoding` header. Throws an UpstreamFault "body" if we did not ask for the coding, if
 * the bytes are invalid, or if the result exceeds `bytesMax`.
 */
export async function decode(body: Buffer, coding: string | undefined, bytesMax: number): Promise<Buffer> {
  const name = (coding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") {
    return body;
  }
  const decompressor = DECOMPRESSORS.get(name);
  if (decompressor === undefined) {
    throw new UpstreamFault("body", "the body has a content coding that was not requested");
  }
  try {
    return smallResult(decompressor, body, bytesMax) ?? (await largeResult(decompressor, body, bytesMax));
  } catch (cause) {
    throw new UpstreamFault("body", "the body cannot be decompressed, or becomes too large", { cause });
  }
}

// Undefined if the body or the result is not small.
function smallResult(decompressor: Decompressor, body: Buffer, bytesMax: number): Buffer | undefined {
  if (body.length > SMALL_BODY_BYTES_MAX) {
    return undefined;
  }
  try {
    const maxOutputLength = Math.min(bytesMax, SMALL_RESULT_BYTES_MAX);
    return decompressor.atOnce(body, { chunkSize: SMALL_CHUNK_BYTES, maxOutputLength });
  } catch (thrown) {
    if (thrown instanceof RangeError) {
      return undefined;
    }
    throw thrown;
  }
}

async function largeResult(decompressor: Decompressor, body: Buffer, bytesMax: number): Promise<Buffer> {
  const stream = decompressor.create({ chunkSize: CHUNK_BYTES });
  stream.end(body);
  return await wholeOf(stream, bytesMax);
}

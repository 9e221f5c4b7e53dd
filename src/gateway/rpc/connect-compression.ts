// gzip for connect-es's handlers. Messages of streams may be long, so it runs on the thread pool. Decompression is limited.
import { promisify } from "node:util";
import { gunzip as gunzipWithCallback, gzip as gzipWithCallback } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";

const gzip = promisify(gzipWithCallback);
const gunzip = promisify(gunzipWithCallback);

/**
 * The only compression that the handlers support. `decompress` rejects with RESOURCE_EXHAUSTED if the result is too long, and
 * INVALID_ARGUMENT for invalid gzip.
 */
export const gzipCompression: Compression = {
  name: "gzip",
  compress: (bytes) => gzip(bytes),
  async decompress(bytes, bytesMax) {
    if (bytes.byteLength === 0) {
      return new Uint8Array(0);
    }
    try {
      return await gunzip(bytes, { maxOutputLength: bytesMax });
    } catch (thrown) {
      const isTooLarge = thrown instanceof Error && "code" in thrown && thrown.code === "ERR_BUFFER_TOO_LARGE";
      throw isTooLarge
        ? new ConnectError(`message is larger than ${bytesMax} bytes after decompression`, Code.ResourceExhausted)
        : new ConnectError("decompression failed", Code.InvalidArgument);
    }
  },
};

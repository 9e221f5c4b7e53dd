// The last frame of a gRPC-Web stream, with the trailers, as connect-es writes it: in a separate chunk, one trailer per line.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
import { gunzipSync } from "node:zlib";
import { compress } from "./compression.ts";
import { COMPRESSED_FLAG, ENVELOPE_HEAD_BYTES, frame, TRAILER_FLAG } from "./envelope.ts";
import { withoutNeedlessEscapes } from "./grpc-status.ts";

const MESSAGE_LINE = /^(grpc-message: )(.*)$/im;

/** The chunk, with only the escapes in its `grpc-message` that gRPC needs. Chunks without trailers are returned unchanged. */
export function normalizeTrailers(chunk: Uint8Array): Uint8Array {
  const flags = chunk[0] ?? 0;
  if ((flags & TRAILER_FLAG) === 0) {
    return chunk;
  }
  const isCompressed = (flags & COMPRESSED_FLAG) !== 0;
  const data = chunk.subarray(ENVELOPE_HEAD_BYTES);
  const lines = Buffer.from(isCompressed ? gunzipSync(data) : data).toString();
  const tidied = Buffer.from(lines.replace(MESSAGE_LINE, (_, name: string, text: string) => name + withoutNeedlessEscapes(text)));
  return frame(flags, isCompressed ? compress(tidied) : tidied);
}

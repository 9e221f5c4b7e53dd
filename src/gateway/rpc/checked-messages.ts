// Checks the messages of a stream's request before connect-es parses them, just as we check those of other calls: their size, nesting and
// number of values. Compressed messages are decompressed for that, and passed on decompressed.
import { Failure } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import { tooLarge } from "./compression.ts";
import { gzipCompression } from "./connect-compression.ts";
import { COMPRESSED_FLAG, ENVELOPE_HEAD_BYTES, frame } from "./envelope.ts";

/** Thrown for a message that is refused before it is parsed. */
class RefusedMessage extends Failure {
  readonly isRefusedMessage = true;
}

export interface MessageChecks {
  /** The compression of messages that are marked as compressed. */
  readonly encoding: string | undefined;
  /** The longest message, before or after decompression. */
  readonly messageBytesMax: number;
  /** What is wrong with a decompressed message; undefined if nothing is. */
  check(message: Uint8Array): Problem | undefined;
}

/**
 * The body, in whole frames. Bytes that are not a frame, or cannot be decompressed here, are passed on unchanged: connect-es refuses them.
 * Throws a RefusedMessage.
 */
export async function* checkedMessages(
  chunks: AsyncIterable<Uint8Array>,
  checks: MessageChecks,
): AsyncGenerator<Uint8Array<ArrayBufferLike>> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  // Chunks are joined only once this much has arrived.
  let neededBytes = ENVELOPE_HEAD_BYTES;
  for await (const chunk of chunks) {
    pending.push(chunk);
    pendingBytes += chunk.byteLength;
    if (pendingBytes < neededBytes) {
      continue;
    }
    let bytes = Buffer.concat(pending);
    for (;;) {
      neededBytes = frameBytes(bytes, checks);
      if (bytes.length < neededBytes) {
        break;
      }
      yield await checked(bytes.subarray(0, neededBytes), checks);
      bytes = bytes.subarray(neededBytes);
    }
    pending = [bytes];
    pendingBytes = bytes.length;
  }
  if (pendingBytes > 0) {
    yield Buffer.concat(pending);
  }
}

// The length of the frame that begins here, or of its head if the head is incomplete.
function frameBytes(bytes: Buffer, { messageBytesMax }: MessageChecks): number {
  if (bytes.length < ENVELOPE_HEAD_BYTES) {
    return ENVELOPE_HEAD_BYTES;
  }
  const messageBytes = bytes.readUInt32BE(1);
  if (messageBytes > messageBytesMax) {
    throw new RefusedMessage(tooLarge(messageBytesMax));
  }
  return ENVELOPE_HEAD_BYTES + messageBytes;
}

async function checked(whole: Buffer, { encoding, messageBytesMax, check }: MessageChecks): Promise<Uint8Array> {
  const flags = whole.readUInt8(0);
  const isCompressed = flags === COMPRESSED_FLAG;
  if (flags > COMPRESSED_FLAG || (isCompressed && encoding !== "gzip")) {
    return whole;
  }
  const sent = whole.subarray(ENVELOPE_HEAD_BYTES);
  const message = isCompressed ? await gzipCompression.decompress(sent, messageBytesMax) : sent;
  const problem = check(message);
  if (problem !== undefined) {
    throw new RefusedMessage(problem);
  }
  return isCompressed ? frame(0, message) : whole;
}

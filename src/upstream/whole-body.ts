// Joins the chunks of a body. Copying megabytes takes milliseconds, so large bodies take turns instead of all being copied at once.
import { nextTurn } from "../runtime/event-loop-turn.ts";

// Bodies up to this size are copied immediately.
const SMALL_BYTES_MAX = 64 * 1024;

/** All bytes of a stream. Throws a RangeError if there are more than `bytesMax`, or the error that the stream fails with. */
export async function wholeOf(stream: AsyncIterable<Buffer>, bytesMax = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new RangeError(`more than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  if (bytes > SMALL_BYTES_MAX) {
    await nextTurn();
  }
  return Buffer.concat(chunks, bytes);
}

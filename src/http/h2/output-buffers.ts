// The buffers into which frames are written. All connections of a thread share them: a connection takes one for the output of a
// turn, and returns it when the system has taken the bytes, usually at once.

/** Enough for what one connection sends in a turn, except long bodies, which are passed on without copying. */
export const OUTPUT_BUFFER_BYTES = 16 * 1024;
const FREE_MAX = 64;

const free: Buffer[] = [];

/** A buffer of `OUTPUT_BUFFER_BYTES`. */
export function takeOutputBuffer(): Buffer {
  return free.pop() ?? Buffer.allocUnsafeSlow(OUTPUT_BUFFER_BYTES);
}

/** Returns a buffer that is no longer in use. */
export function releaseOutputBuffer(buffer: Buffer): void {
  if (free.length < FREE_MAX) {
    free.push(buffer);
  }
}

// The buffers that frames are written into before they are handed to a socket. All connections of a thread share them: one is taken for what
// a turn writes, and comes back as soon as the system has taken its bytes, which it mostly does at once.

/** Enough for what a turn answers on one connection, but for long bodies, which are handed on as they are. */
export const OUTPUT_BUFFER_BYTES = 16 * 1024;
const FREE_MAX = 64;

const free: Buffer[] = [];

/** A buffer of `OUTPUT_BUFFER_BYTES`. */
export function takeOutputBuffer(): Buffer {
  return free.pop() ?? Buffer.allocUnsafeSlow(OUTPUT_BUFFER_BYTES);
}

/** Gives a buffer back of which nobody holds a byte any more. */
export function giveBackOutputBuffer(buffer: Buffer): void {
  if (free.length < FREE_MAX) {
    free.push(buffer);
  }
}

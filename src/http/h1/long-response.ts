// Sends a long body in pieces, each after the one before it has been sent. A peer that takes one piece within the stall timeout counts as
// reading; one that does not is cut off.
import type { Part } from "./h1-output.ts";

/** Bodies longer than this are sent in pieces of this length. */
export const PIECE_BYTES = 64 * 1024;

/** The part of a connection's output that a long response needs. */
interface Sender {
  send(part: Part, onSent?: () => void): void;
  flush(): void;
  finish(part: Part): void;
}

/** Sends a body of more than one piece. `onFlushed` is called with the length of each piece but the last, once that piece has been sent. */
export function sendPieces(sender: Sender, body: Uint8Array, onFlushed: (bytes: number) => void): void {
  let offset = 0;
  const sendNext = (): void => {
    // A loop instead of recursion, for as long as the system takes each piece at once.
    for (let hasLeft = true; hasLeft; ) {
      const piece = body.subarray(offset, offset + PIECE_BYTES);
      offset += piece.length;
      if (offset === body.length) {
        sender.finish(piece);
        return;
      }
      let isAtOnce = true;
      hasLeft = false;
      sender.send(piece, () => {
        hasLeft = true;
        onFlushed(piece.length);
        if (!isAtOnce) {
          sendNext();
        }
      });
      sender.flush();
      isAtOnce = false;
    }
  };
  sendNext();
}

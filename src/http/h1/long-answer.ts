// Sends a long answer in pieces: each when the one before has left. So a peer that takes one piece within the stall time counts as reading,
// and one that does not is cut off.
import type { Part } from "./h1-output.ts";

/** The length of a piece. A body that is longer than this is sent in pieces. */
export const PIECE_BYTES = 64 * 1024;

/** The part of a connection's output that a long answer is sent with. */
interface Sender {
  send(part: Part, onSent?: () => void): void;
  flush(): void;
  finish(part: Part): void;
}

/** Sends a body of more than one piece. `onLeft` is told the length of each piece but the last, when it has left. */
export function sendPieces(sender: Sender, body: Uint8Array, onLeft: (bytes: number) => void): void {
  let offset = 0;
  const sendNext = (): void => {
    // In a loop, and not from the callback, while the system takes each at once.
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
        onLeft(piece.length);
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

// A long answer is handed over piece by piece: the next when the one before has left. A peer that takes no more than one within the stall
// time is one that does not read.
import type { Part } from "./h1-output.ts";

/** What is longer is sent in pieces of this length. */
export const PIECE_BYTES = 64 * 1024;

/** What it is sent with. */
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

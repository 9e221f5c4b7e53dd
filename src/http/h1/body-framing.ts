// How a request body is delimited within the bytes of its connection. https://www.rfc-editor.org/rfc/rfc9112#section-6
import type { TransportFault } from "../transport-fault.ts";

export interface BodyFraming {
  /** True once the whole body has been taken. */
  readonly isComplete: boolean;
  /** What is wrong with the body; undefined if nothing is. After a fault, nothing more can be taken. */
  readonly fault: TransportFault | undefined;
  /** Whether the rest of the body is known to be at most this long. */
  endsWithin(bytes: number): boolean;
  /**
   * Takes bytes of the body, starting at `from`, up to the end of one piece of data, and passes that piece on. Returns where it stopped: at
   * `bytes.length`, after a piece, at the end of the body, or at a fault.
   */
  take(bytes: Buffer, from: number, onPiece: (piece: Buffer) => void): number;
}

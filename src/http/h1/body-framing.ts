// How a request's body lies among the bytes of its connection. https://www.rfc-editor.org/rfc/rfc9112#section-6
import type { TransportFault } from "../transport-fault.ts";

/** One body's framing. */
export interface BodyFraming {
  /** True once all of it has been taken. */
  readonly isComplete: boolean;
  /** What is wrong with it. Nothing more can be taken then. */
  readonly fault: TransportFault | undefined;
  /** Whether what is left of it is known to be no longer than this. */
  endsWithin(bytes: number): boolean;
  /**
   * Takes what belongs to the body from a place in `bytes`, up to the end of one piece of data, and hands that piece over. Returns where it
   * stopped: at `bytes.length`, behind a piece, at the body's end, or at a fault.
   */
  take(bytes: Buffer, from: number, onPiece: (piece: Buffer) => void): number;
}

// What a stream needs of its connection.
import type { Peer } from "../client/peer.ts";
import type { ListenerContext } from "../listener-context.ts";
import type { UnsentOfConnection } from "../unsent-responses.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { ResponseEncoder } from "./response-encoder.ts";
import type { SendQueue } from "./send-queue.ts";

/** The connection, as its streams see it. */
export interface Carrier {
  readonly context: ListenerContext;
  readonly isSecure: boolean;
  readonly peer: Peer;
  readonly unsent: UnsentOfConnection;
  readonly writer: FrameWriter;
  readonly encoder: ResponseEncoder;
  readonly sendQueue: SendQueue;
  /** So many bytes of bodies do not count against the connection's window any more. */
  credit(bytes: number): void;
  /** What was written, and what waits to be sent, leaves at the end of this turn, as far as the windows allow. */
  flushSoon(): void;
  /** Resets the stream, if it is not closed. */
  reset(streamId: number, code: number): void;
  /** Resets a stream on which nothing is read; cuts the connection where its peer does not even take that. */
  breakOff(streamId: number): void;
  /** The requests that have come and not begun go on in the next turn. */
  beginInNextTurn(): void;
  /** The stream has ended on both sides. */
  finished(streamId: number): void;
}

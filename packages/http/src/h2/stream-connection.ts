// What a stream needs from its connection.
import type { Peer } from "../client/peer.ts";
import type { ListenerContext } from "../listener-context.ts";
import type { UnsentOfConnection } from "../unsent-responses.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { ResponseEncoder } from "./response-encoder.ts";
import type { SendQueue } from "./send-queue.ts";

/** The connection, as seen by its streams. */
export interface StreamConnection {
  readonly context: ListenerContext;
  readonly isSecure: boolean;
  readonly peer: Peer;
  readonly unsent: UnsentOfConnection;
  readonly writer: FrameWriter;
  readonly encoder: ResponseEncoder;
  readonly sendQueue: SendQueue;
  /** Stops counting these bytes of bodies against the connection's window. */
  credit(bytes: number): void;
  /** At the end of this turn, sends what was written, and as much of the queued data as the window allows. */
  flushSoon(): void;
  /** Resets the stream if it is open. */
  reset(streamId: number, code: number): void;
  /** Resets a stream whose peer reads nothing. Cuts the connection if the peer does not even read the reset. */
  abortResponse(streamId: number): void;
  /** In the next turn, begins the requests that have arrived but have not begun. */
  beginInNextTurn(): void;
  /** Called when the stream has ended on both sides. */
  finished(streamId: number): void;
}

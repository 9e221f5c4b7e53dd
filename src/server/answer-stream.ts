// An answer that is sent piece by piece, over HTTP/1.1 in chunks and over HTTP/2 in frames. No more of it waits in memory than one piece
// that the peer has not read, and a peer that reads nothing is cut off.
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Clock } from "../clock.ts";
import type { Exchange } from "./exchange.ts";

/** An answer on its way. */
export interface AnswerStream {
  /** True once it has ended, or the peer has gone. */
  readonly ended: boolean;
  /** Sends a piece and waits until the peer has room for another, or the signal aborts. Does nothing once it has ended; never rejects. */
  write(piece: string): Promise<void>;
  /** Sends a last piece, where there is one, and ends the answer. */
  end(piece?: string): void;
}

/** What bounds an answer. */
export interface AnswerBounds {
  readonly clock: Clock;
  /** How long a peer may leave unread what was sent. */
  readonly stallTimeoutMs: number;
  /** Aborts when there is no more to wait for. */
  readonly signal: AbortSignal;
}

/** Begins an answer. The request's body has been read, or there is none. */
export function openAnswer(
  exchange: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
  { clock, stallTimeoutMs, signal }: AnswerBounds,
): AnswerStream {
  // HTTP/1.1's and HTTP/2's have in common what is used here, which their types do not show.
  const response = exchange.response as ServerResponse;
  let ended = false;
  let room: PromiseWithResolvers<void> | undefined;
  let cancelCut = (): void => {};
  const cutWhenStalled = (): void => {
    cancelCut = clock.after(stallTimeoutMs, () => response.destroy());
  };
  const wake = (): void => {
    cancelCut();
    room?.resolve();
    room = undefined;
  };
  exchange.onEnd(() => {
    ended = true;
    wake();
  });
  signal.addEventListener("abort", wake, { once: true });
  if (!ended) {
    // Silence is part of it, and no reason to close the connection.
    response.setTimeout(0);
    response.on("drain", wake);
    response.writeHead(status, { ...headers, "x-request-id": exchange.requestId });
  }
  return {
    get ended() {
      return ended;
    },
    async write(piece) {
      if (ended || response.write(piece) || signal.aborted) {
        return;
      }
      if (room === undefined) {
        room = Promise.withResolvers<void>();
        cutWhenStalled();
      }
      await room.promise;
    },
    end(piece) {
      if (!ended) {
        ended = true;
        wake();
        cutWhenStalled();
        response.end(piece);
      }
    },
  };
}

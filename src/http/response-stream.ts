// An answer that is sent piece by piece, over HTTP/1.1 in chunks and over HTTP/2 in frames. No more of it waits in memory than one piece
// that the peer has not read.
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Exchange } from "./exchange.ts";

/** An answer on its way. */
export interface ResponseStream {
  /** True once it has ended, or the peer has gone. */
  readonly ended: boolean;
  /** Sends a piece and waits until the peer has room for another, or the signal aborts. Does nothing once it has ended; never rejects. */
  write(piece: string): Promise<void>;
  /** Sends a last piece, where there is one, and ends the answer. */
  end(piece?: string): void;
}

/** Begins an answer. The request's body has been read, or there is none. Once `signal` aborts there is no more to wait for. */
export function openResponseStream(
  exchange: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
  signal: AbortSignal,
): ResponseStream {
  // HTTP/1.1's and HTTP/2's have in common what is used here, which their types do not show.
  const response = exchange.response as ServerResponse;
  let ended = false;
  let room: PromiseWithResolvers<void> | undefined;
  const wake = (): void => {
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
      room ??= Promise.withResolvers<void>();
      await room.promise;
    },
    end(piece) {
      if (!ended) {
        ended = true;
        wake();
        if (piece !== undefined) {
          response.write(piece);
        }
        response.end();
      }
    },
  };
}

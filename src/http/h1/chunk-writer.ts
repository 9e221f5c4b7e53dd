// Writes a response in pieces over HTTP/1.1, each as a chunk. HTTP/1.0 has no chunks: the response then ends where the connection closes.
import type { PieceWriter } from "../response-stream.ts";
import type { UnsentResponse } from "../unsent-responses.ts";
import type { Part } from "./h1-output.ts";

/** What a chunk writer needs from its exchange. */
interface Exchange {
  readonly hasRoom: boolean;
  responseBodyBytes: number;
  onEnd(callback: (completed: boolean) => void): void;
  send(part: Part, onSent?: () => void): void;
  flush(): void;
  finish(part: Part): void;
  trailerLines(trailers: Readonly<Record<string, string>>): string;
  refuseToSend(): void;
  reset(): void;
}

/** How the response is framed, and whether it has a body at all. */
interface Framing {
  readonly isChunked: boolean;
  readonly hasBody: boolean;
}

export class ChunkWriter implements PieceWriter {
  readonly #exchange: Exchange;
  readonly #unsent: UnsentResponse;
  readonly #framing: Framing;

  constructor(exchange: Exchange, unsent: UnsentResponse, framing: Framing) {
    this.#exchange = exchange;
    this.#unsent = unsent;
    this.#framing = framing;
  }

  onEnd(callback: (completed: boolean) => void): void {
    this.#exchange.onEnd(callback);
  }

  sendPiece(piece: Uint8Array, onRoom: () => void): boolean {
    const exchange = this.#exchange;
    if (!this.#unsent.wait(piece.length)) {
      exchange.refuseToSend();
      return exchange.hasRoom;
    }
    exchange.responseBodyBytes += piece.length;
    const { isChunked } = this.#framing;
    if (isChunked) {
      exchange.send(`${piece.length.toString(16)}\r\n`);
    }
    exchange.send(piece);
    exchange.send(isChunked ? "\r\n" : "", () => {
      this.#unsent.sent(piece.length);
      onRoom();
    });
    exchange.flush();
    return exchange.hasRoom;
  }

  finishPieces(trailers: Readonly<Record<string, string>> | undefined): void {
    const { isChunked, hasBody } = this.#framing;
    const last = isChunked && hasBody ? `0\r\n${this.#exchange.trailerLines(trailers ?? {})}\r\n` : "";
    this.#unsent.waitForEnd(0);
    this.#exchange.finish(last);
  }

  reset(): void {
    this.#exchange.reset();
  }
}

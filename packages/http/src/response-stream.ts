// A response sent in pieces, as chunks over HTTP/1.1 and as frames over HTTP/2. At most one unread piece waits in memory.

/** Writes a response in pieces, by one version of HTTP. */
export interface PieceWriter {
  onEnd(callback: (completed: boolean) => void): void;
  /** Sends a piece. Returns false if part of it has to wait; `onRoom` is called once nothing waits any more. */
  sendPiece(piece: Uint8Array, onRoom: () => void): boolean;
  /** If a trailer cannot be sent, throws a TypeError and sends nothing. */
  finishPieces(trailers: Readonly<Record<string, string>> | undefined): void;
  reset(): void;
}

/** A response whose head has been written. */
export class ResponseStream {
  readonly #writer: PieceWriter;
  readonly #hasBody: boolean;
  readonly #signal: AbortSignal | undefined;
  #ended = false;
  #room: PromiseWithResolvers<void> | undefined;

  /** Once `signal` aborts, writes no longer wait. */
  constructor(writer: PieceWriter, hasBody: boolean, signal: AbortSignal | undefined) {
    this.#writer = writer;
    this.#hasBody = hasBody;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onRoom, { once: true });
    writer.onEnd(() => {
      this.#ended = true;
      signal?.removeEventListener("abort", this.#onRoom);
      this.#onRoom();
    });
  }

  /** True once it has ended or the peer has disconnected. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Sends a piece and waits until the peer has room for another. Does nothing after the end; never rejects. */
  async write(piece: Uint8Array | string): Promise<void> {
    if (this.#ended || piece.length === 0 || !this.#hasBody) {
      return;
    }
    const hasRoom = this.#send(piece);
    if (hasRoom || this.#ended || this.#signal?.aborted) {
      return;
    }
    this.#room ??= Promise.withResolvers<void>();
    await this.#room.promise;
  }

  /**
   * Sends an optional last piece and trailers, and ends the response. If a trailer has bytes that HTTP forbids, throws and sends
   * nothing.
   */
  end(piece?: Uint8Array | string, trailers?: Readonly<Record<string, string>>): void {
    if (this.#ended) {
      return;
    }
    if (piece !== undefined && piece.length > 0 && this.#hasBody) {
      this.#send(piece);
    }
    this.#writer.finishPieces(trailers);
    this.#ended = true;
    this.#onRoom();
  }

  /** Aborts the response, so that the caller sees that it is incomplete. */
  reset(): void {
    this.#ended = true;
    this.#onRoom();
    this.#writer.reset();
  }

  #send(piece: Uint8Array | string): boolean {
    return this.#writer.sendPiece(typeof piece === "string" ? Buffer.from(piece) : piece, this.#onRoom);
  }

  // Called when the peer has accepted everything, or there is nothing to wait for.
  readonly #onRoom = (): void => {
    this.#room?.resolve();
    this.#room = undefined;
  };
}

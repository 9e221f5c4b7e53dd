// An answer in pieces over HTTP/2.
import type { ResponseStream } from "../response-stream.ts";

/** What it needs of its exchange. */
export interface ResponseStreamOwner {
  readonly hasEnded: boolean;
  onEnd(callback: (completed: boolean) => void): void;
  /** Sends a piece; false where something of it has to wait, and `onRoom` is called when nothing does. */
  sendPiece(piece: Uint8Array): boolean;
  /** Throws a TypeError, with nothing sent, where a trailer cannot be sent. */
  finish(trailers: Readonly<Record<string, string>> | undefined): void;
  reset(): void;
}

/** An answer whose head has been written. */
export class H2ResponseStream implements ResponseStream {
  readonly #owner: ResponseStreamOwner;
  readonly #hasBody: boolean;
  readonly #signal: AbortSignal | undefined;
  #ended = false;
  #room: PromiseWithResolvers<void> | undefined;

  /** Once `signal` aborts there is no more to wait for. */
  constructor(owner: ResponseStreamOwner, hasBody: boolean, signal: AbortSignal | undefined) {
    this.#owner = owner;
    this.#hasBody = hasBody;
    this.#signal = signal;
    const wake = (): void => this.onRoom();
    signal?.addEventListener("abort", wake, { once: true });
    owner.onEnd(() => {
      this.#ended = true;
      signal?.removeEventListener("abort", wake);
      wake();
    });
  }

  get ended(): boolean {
    return this.#ended;
  }

  async write(piece: Uint8Array | string): Promise<void> {
    if (this.#ended || piece.length === 0 || !this.#hasBody) {
      return;
    }
    const hasRoom = this.#owner.sendPiece(typeof piece === "string" ? Buffer.from(piece) : piece);
    if (hasRoom || this.#ended || this.#signal?.aborted) {
      return;
    }
    this.#room ??= Promise.withResolvers<void>();
    await this.#room.promise;
  }

  end(piece?: Uint8Array | string, trailers?: Readonly<Record<string, string>>): void {
    if (this.#ended) {
      return;
    }
    if (piece !== undefined && piece.length > 0 && this.#hasBody) {
      this.#owner.sendPiece(typeof piece === "string" ? Buffer.from(piece) : piece);
    }
    this.#owner.finish(trailers);
    this.#ended = true;
    this.onRoom();
  }

  reset(): void {
    this.#ended = true;
    this.onRoom();
    this.#owner.reset();
  }

  /** The peer has taken all that there was. */
  onRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}

// An answer in pieces over HTTP/1.1: a chunk for each piece, or for a caller of HTTP/1.0 the bytes as they are, up to the connection's end.
import type { ResponseStream } from "../response-stream.ts";
import type { UnsentAnswer } from "../unsent-responses.ts";
import type { Part } from "./h1-output.ts";

/** What it needs of its exchange. */
interface Owner {
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

/** How the answer is framed, and whether it has a body at all. */
interface Framing {
  readonly isChunked: boolean;
  readonly hasBody: boolean;
}

/** An answer whose head has been written. */
export class H1ResponseStream implements ResponseStream {
  readonly #owner: Owner;
  readonly #unsent: UnsentAnswer;
  readonly #framing: Framing;
  readonly #signal: AbortSignal | undefined;
  #ended = false;
  #room: PromiseWithResolvers<void> | undefined;

  /** Once `signal` aborts there is no more to wait for. */
  constructor(owner: Owner, unsent: UnsentAnswer, framing: Framing, signal: AbortSignal | undefined) {
    this.#owner = owner;
    this.#unsent = unsent;
    this.#framing = framing;
    this.#signal = signal;
    const wake = (): void => this.#wake();
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
    if (this.#ended || piece.length === 0 || !this.#framing.hasBody) {
      return;
    }
    this.#send(piece);
    if (this.#ended || this.#owner.hasRoom || this.#signal?.aborted) {
      return;
    }
    this.#room ??= Promise.withResolvers<void>();
    await this.#room.promise;
  }

  end(piece?: Uint8Array | string, trailers?: Readonly<Record<string, string>>): void {
    if (this.#ended) {
      return;
    }
    if (piece !== undefined && piece.length > 0 && this.#framing.hasBody) {
      this.#send(piece);
    }
    this.#ended = true;
    this.#wake();
    this.#unsent.waitForEnd(0);
    const { isChunked, hasBody } = this.#framing;
    this.#owner.finish(isChunked && hasBody ? `0\r\n${this.#owner.trailerLines(trailers ?? {})}\r\n` : "");
  }

  reset(): void {
    this.#ended = true;
    this.#wake();
    this.#owner.reset();
  }

  #send(piece: Uint8Array | string): void {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    if (!this.#unsent.wait(bytes.length)) {
      this.#owner.refuseToSend();
      return;
    }
    this.#owner.responseBodyBytes += bytes.length;
    const { isChunked } = this.#framing;
    if (isChunked) {
      this.#owner.send(`${bytes.length.toString(16)}\r\n`);
    }
    this.#owner.send(bytes);
    this.#owner.send(isChunked ? "\r\n" : "", () => {
      this.#unsent.left(bytes.length);
      this.#wake();
    });
    this.#owner.flush();
  }

  #wake(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}

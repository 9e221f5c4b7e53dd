// An answer in pieces on Node's response objects.
import type { ServerResponse } from "node:http";
import type { Exchange } from "./exchange.ts";
import type { ResponseStream } from "./response-stream.ts";

/** An answer whose head has been written, on HTTP/1.1's or HTTP/2's response, which have in common what is used here. */
export class NodeResponseStream implements ResponseStream {
  readonly #response: ServerResponse;
  #ended = false;
  #room: PromiseWithResolvers<void> | undefined;
  readonly #signal: AbortSignal | undefined;

  /** Once `signal` aborts there is no more to wait for. */
  constructor(response: ServerResponse, exchange: Pick<Exchange, "onEnd">, signal: AbortSignal | undefined) {
    this.#response = response;
    this.#signal = signal;
    const wake = (): void => this.#wake();
    signal?.addEventListener("abort", wake, { once: true });
    response.on("drain", wake);
    exchange.onEnd(() => {
      this.#ended = true;
      signal?.removeEventListener("abort", wake);
      wake();
    });
  }

  get ended(): boolean {
    return this.#ended;
  }

  async write(piece: Uint8Array | string): Promise<void> {
    if (this.#ended || this.#response.write(piece) || this.#signal?.aborted) {
      return;
    }
    this.#room ??= Promise.withResolvers<void>();
    await this.#room.promise;
  }

  end(piece?: Uint8Array | string, trailers?: Readonly<Record<string, string>>): void {
    if (this.#ended) {
      return;
    }
    const response = this.#response;
    if (trailers !== undefined) {
      response.addTrailers(trailers);
    }
    this.#ended = true;
    this.#wake();
    if (piece !== undefined) {
      response.write(piece);
    }
    response.end();
  }

  reset(): void {
    this.#ended = true;
    this.#wake();
    this.#response.destroy();
  }

  #wake(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}

// An exchange over HTTP/1.1. Where the body was not read, the connection is closed with the answer, slowly enough that the caller gets
// to read it: a socket that is closed with bytes unread is reset, and a reset may overtake the answer.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestHeaders, ResponseHeaders } from "../headers.ts";
import { DISMISSED_BYTES_MAX, LINGER_BYTES_MAX, LINGER_MS } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { bodyLength, NodeExchange, statusHasBody } from "../node-exchange.ts";
import { countWrites, endWith, PIECE_BYTES } from "../response-writing.ts";
import type { UnsentOfConnection } from "../unsent-responses.ts";

/** An exchange over HTTP/1.1. */
export class H1Exchange extends NodeExchange {
  readonly httpVersion = 1;
  readonly hasBody: boolean;
  readonly #response: ServerResponse;
  #areWritesCounted = false;
  protected readonly bodySource: IncomingMessage;
  // Node takes it away from the request when the connection closes.
  readonly #socket: Socket;
  #waitsForContinue: boolean;

  constructor(
    listenerContext: ListenerContext,
    connection: UnsentOfConnection,
    request: IncomingMessage,
    response: ServerResponse,
    waitsForContinue: boolean,
  ) {
    super(listenerContext, connection, request.method ?? "", request.url ?? "", request.headers as RequestHeaders);
    const { headers } = request;
    const announced = headers["content-length"];
    this.bodySource = request;
    this.#socket = request.socket;
    this.#response = response;
    this.hasBody = announced === undefined ? headers["transfer-encoding"] !== undefined : announced !== "0";
    this.#waitsForContinue = waitsForContinue;
    response.on("close", () => this.ended(response.writableFinished));
  }

  get isSecure(): boolean {
    return "encrypted" in this.#socket;
  }

  get peer(): string {
    return this.#socket.remoteAddress ?? "";
  }

  get responded(): boolean {
    return this.#response.headersSent;
  }

  /** Whether the request's body is still on its way. */
  get isIncomplete(): boolean {
    return !this.bodySource.complete;
  }

  get authority(): string | undefined {
    return this.headers.host;
  }

  protected get response(): ServerResponse {
    if (!this.#areWritesCounted) {
      this.#areWritesCounted = true;
      countWrites(this.#response, this.unsent, () => this.#socket.destroy());
    }
    return this.#response;
  }

  respond(status: number, headers: ResponseHeaders, body: Uint8Array | string, trailers?: Readonly<Record<string, string>>): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) {
      return;
    }
    const bodyUnread = this.hasBody && !this.bodySource.readableEnded && !this.bodySource.complete;
    const answer: ResponseHeaders = { ...headers, "x-request-id": this.requestId };
    if (bodyUnread || this.listenerContext.draining) {
      answer.connection = "close";
    }
    if (trailers !== undefined) {
      answer.trailer = Object.keys(trailers).join(", ");
      response.writeHead(status, answer);
      response.addTrailers(trailers);
      this.#end(body);
      return;
    }
    if (statusHasBody(status)) {
      answer["content-length"] = bodyLength(body);
    }
    response.writeHead(status, answer);
    if (bodyUnread) {
      this.#linger(body);
    } else {
      this.#end(body);
    }
  }

  protected allowSilence(): void {
    this.#response.setTimeout(0);
  }

  protected breakOff(): void {
    // What waits behind another answer is not what is unread.
    if (this.#response.socket !== null) {
      this.#socket.destroy();
    }
  }

  // Most answers the system takes at once, and nothing waits.
  #end(body: Uint8Array | string): void {
    const response = this.#response;
    const bytes = bodyLength(body);
    const isLong = body.length > PIECE_BYTES;
    if (isLong && !this.unsent.waitForEnd(bytes)) {
      this.#socket.destroy();
      return;
    }
    endWith(response, body, this.unsent);
    if (!isLong && response.writableLength > 0 && !this.unsent.waitForEnd(bytes)) {
      this.#socket.destroy();
    }
  }

  // The answer has its own way and need not wait for the body; the next request on the connection does.
  async dismissBody(): Promise<void> {
    const { bodySource: request } = this;
    if (request.readableEnded || request.destroyed) {
      return;
    }
    // Whoever was reading has stopped half-way, without saying so.
    request.removeAllListeners("readable");
    this.#letIn(DISMISSED_BYTES_MAX);
    request.resume();
  }

  protected sendContinue(): void {
    if (this.#waitsForContinue && !this.#response.destroyed) {
      this.#waitsForContinue = false;
      this.#response.writeContinue();
    }
  }

  // The answer goes out whole, but Node is not told that it has ended, because it would close the socket at once.
  #linger(body: Uint8Array | string): void {
    const { bodySource: request } = this;
    const response = this.#response;
    response.flushHeaders();
    response.write(body, () => this.ended(true));
    this.#letIn(LINGER_BYTES_MAX);
    request.on("end", () => response.end());
  }

  // Lets in and throws away that much of the body, for as long as is decent, and closes the connection then.
  #letIn(bytesMax: number): void {
    const { bodySource: request } = this;
    const socket = this.#socket;
    const cancelTimer = this.listenerContext.clock.after(LINGER_MS, () => socket.destroy());
    let bytesLeft = bytesMax;
    request.on("data", (chunk: Buffer) => {
      bytesLeft -= chunk.byteLength;
      if (bytesLeft <= 0) {
        request.pause();
      }
    });
    request.on("end", cancelTimer);
    request.on("close", cancelTimer);
  }
}

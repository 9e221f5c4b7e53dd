// An exchange over one HTTP/2 stream. It works on the stream itself, which is a good third faster here than Node's request and
// response objects; those are made for the Connect pipeline alone.
import { constants, Http2ServerResponse, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { RequestHeaders, ResponseHeaders } from "../headers.ts";
import { ignoreErrors } from "../ignore-errors.ts";
import { DISMISSED_BYTES_MAX, FAREWELL_MS, LINGER_BYTES_MAX, LINGER_MS } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { bodyLength, NodeExchange, statusHasBody } from "../node-exchange.ts";
import { countWrites, endWith } from "../response-writing.ts";
import type { UnsentOfConnection } from "../unsent-responses.ts";

/** An exchange over one HTTP/2 stream. */
export class H2Exchange extends NodeExchange {
  readonly httpVersion = 2;
  readonly hasBody: boolean;
  protected readonly bodySource: ServerHttp2Stream;
  #waitsForContinue: boolean;
  #response: Http2ServerResponse | undefined;

  readonly #socket: Socket;

  constructor(
    listenerContext: ListenerContext,
    connection: UnsentOfConnection,
    stream: ServerHttp2Stream,
    headers: RequestHeaders,
  ) {
    super(listenerContext, connection, headers[":method"] ?? "", headers[":path"] ?? "", headers);
    this.bodySource = stream;
    this.#socket = connection.socket;
    this.hasBody = !stream.endAfterHeaders;
    this.#waitsForContinue = headers.expect?.toLowerCase() === "100-continue";
    stream.on("close", () => {
      this.ended(stream.headersSent && stream.writableFinished && stream.rstCode === constants.NGHTTP2_NO_ERROR);
    });
  }

  get isSecure(): boolean {
    return this.bodySource.session?.encrypted ?? false;
  }

  get peer(): string {
    return this.bodySource.session?.socket.remoteAddress ?? "";
  }

  get responded(): boolean {
    return this.bodySource.headersSent;
  }

  get authority(): string | undefined {
    return this.headers[":authority"] ?? this.headers.host;
  }

  protected get response(): Http2ServerResponse {
    if (this.#response === undefined) {
      this.#response = new Http2ServerResponse(this.bodySource);
      ignoreErrors(this.#response);
      countWrites(this.#response, this.unsent, () => this.#refuseToSend());
      const response = this.#response;
      // Node's response does not tell that its stream was closed to who waits for it to drain, so a handler would never be ended.
      this.onEnd((completed) => {
        if (!completed) {
          response.emit("error", new Error("The stream was closed before its answer was written."));
        }
      });
    }
    return this.#response;
  }

  respond(status: number, headers: ResponseHeaders, body: Uint8Array | string, trailers?: Readonly<Record<string, string>>): void {
    const stream = this.bodySource;
    if (stream.headersSent || stream.destroyed || stream.closed) {
      return;
    }
    const length = bodyLength(body);
    if (!this.unsent.waitForEnd(length)) {
      this.#refuseToSend();
    }
    if (stream.destroyed || stream.closed) {
      return;
    }
    const answer: ResponseHeaders = { ...headers, ":status": status, "x-request-id": this.requestId };
    if (trailers !== undefined) {
      stream.respond(answer, { waitForTrailers: true });
      stream.on("wantTrailers", () => this.#sendTrailers(trailers));
      endWith(stream, body, this.unsent);
      return;
    }
    if (statusHasBody(status)) {
      answer["content-length"] = length;
    }
    const endStream = length === 0 || !statusHasBody(status) || this.method === "HEAD";
    stream.respond(answer, { endStream });
    if (!endStream) {
      endWith(stream, body, this.unsent);
    }
    if (this.hasBody && !this.bodySource.readableEnded) {
      this.#refuseTheRest();
    }
  }

  // The answer waits for a body that is announced as large. Go breaks off what it is sending when it sees the end of the answer, and
  // nghttp2 calls a body that is short of its announcement an error, which then takes the answer's place.
  async dismissBody(): Promise<void> {
    const stream = this.bodySource;
    if (stream.readableEnded || stream.destroyed) {
      return;
    }
    if (Number(this.headers["content-length"] ?? 0) > LINGER_BYTES_MAX) {
      await this.#letIn(DISMISSED_BYTES_MAX);
    }
    // Node's response always ends with trailers, if only with none, and submits them in an immediate of its own.
    stream.once("wantTrailers", () => setImmediate(() => this.#refuseTheRest()));
  }

  protected sendContinue(): void {
    const stream = this.bodySource;
    if (this.#waitsForContinue && !stream.destroyed && !stream.closed) {
      this.#waitsForContinue = false;
      stream.additionalHeaders({ ":status": 100 });
    }
  }

  protected allowSilence(): void {
    // Streams of HTTP/2 are not timed by Node.
  }

  protected breakOff(): void {
    this.bodySource.close(constants.NGHTTP2_CANCEL);
    // A peer that does not even take the reset has the connection cut.
    const cancelTimer = this.listenerContext.clock.after(FAREWELL_MS, () => this.#socket.destroy());
    this.onEnd(cancelTimer);
  }

  // Too much waits on the connection already.
  #refuseToSend(): void {
    this.bodySource.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #sendTrailers(trailers: Readonly<Record<string, string>>): void {
    this.bodySource.sendTrailers(trailers);
    if (this.hasBody && !this.bodySource.readableEnded) {
      // Node submits the trailers in an immediate of its own; this one comes after it.
      setImmediate(() => this.#refuseTheRest());
    }
  }

  // A caller that goes on sending is told to stop, without an error: https://www.rfc-editor.org/rfc/rfc9113#section-8.1. A small body
  // is let in and thrown away first, because grpc-js takes a reset right behind the answer for the answer.
  #refuseTheRest(): void {
    const stream = this.bodySource;
    this.#letIn(LINGER_BYTES_MAX).then(() => {
      if (!stream.readableEnded && !stream.destroyed) {
        stream.close(constants.NGHTTP2_NO_ERROR);
      }
    });
  }

  // Lets in and throws away that much of the body, for as long as is decent; resolves when it is all there, or enough.
  #letIn(bytesMax: number): Promise<void> {
    const stream = this.bodySource;
    if (stream.readableEnded || stream.destroyed) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const enough = (): void => {
        cancelTimer();
        resolve();
      };
      const cancelTimer = this.listenerContext.clock.after(LINGER_MS, resolve);
      let bytesLeft = bytesMax;
      // Whoever was reading has stopped half-way, without saying so.
      stream.removeAllListeners("data");
      stream.removeAllListeners("readable");
      stream.on("data", (chunk: Uint8Array) => {
        bytesLeft -= chunk.length;
        // A reset overtakes the end of an answer that is not out yet, and is an error then.
        if (bytesLeft < 0 && (!stream.writableEnded || stream.state.localClose === 1)) {
          enough();
        }
      });
      stream.on("end", enough);
      stream.on("close", enough);
      stream.resume();
    });
  }
}

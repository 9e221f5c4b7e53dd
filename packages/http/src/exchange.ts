// One request and its response, with the same interface for HTTP/1.1 and HTTP/2. Everything behind the listener works with exchanges.

import type { Client } from "./client/client.ts";
import type { RequestHeaders, ResponseHeaders } from "./headers.ts";
import type { BodyRoom } from "./request-body.ts";
import type { ResponseBody } from "./response-body.ts";
import type { ResponseStream } from "./response-stream.ts";
import { FAULT_STATUS, type TransportFault } from "./transport-fault.ts";

export interface Exchange {
  readonly httpVersion: 1 | 2;
  readonly isSecure: boolean;
  /** Who makes the request: the peer of the connection, or the client that a trusted proxy forwards for. */
  readonly client: Client;
  /** In upper case, as sent. */
  readonly method: string;
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string;
  /** The query as sent, without `?`; empty if there is none. */
  readonly query: string;
  /** The host and port that the request names, from HTTP/2's `:authority` or the `host` header. */
  readonly authority: string | undefined;
  /** Names are in lower case. */
  readonly headers: RequestHeaders;
  /** The caller's `x-request-id` if it is a UUID, else a new one. Sent back on every response. */
  readonly requestId: string;
  /** Whether the request has a body: a `content-length` over 0, `transfer-encoding`, or an open HTTP/2 stream. */
  readonly hasBody: boolean;
  /** True once the response's head has been sent. */
  readonly responded: boolean;
  /** The HTTP status of the response; 0 until its head has been sent. */
  readonly status: number;
  /** Bytes of the request body received so far, still compressed, without framing. */
  readonly requestBodyBytes: number;
  /** Bytes of the response body passed on so far, after compression, without framing. */
  readonly responseBodyBytes: number;
  /**
   * Reads the whole body, at most `bodyBytesMax` bytes. Returns it directly if it has already arrived. Rejects with a
   * TransportError: BODY_TOO_LARGE as soon as the announced or received size exceeds the limit, SERVER_BUSY if the body budget has
   * no room for it, REQUEST_TIMEOUT if it is too slow, CANCELLED if the peer disconnects. Call it once. Unknown callers share a
   * small separate budget. `framingBytesMax` more bytes are allowed for the protocol's framing and are not mentioned in errors.
   */
  readBody(bodyBytesMax: number, isCallerKnown: boolean, framingBytesMax?: number): Uint8Array | Promise<Uint8Array>;
  /**
   * The body in chunks, instead of `readBody`. Bytes are accepted only as they are read; the first read sends `100 Continue` if the
   * caller waits for it. Throws a TransportError CANCELLED if the peer disconnects before the end. Call it once.
   */
  bodyChunks(): AsyncIterable<Uint8Array>;
  /** Reserves room in the body budget for a body read in chunks; undefined if there is none. */
  reserveBody(bodyBytesMax: number, isCallerKnown: boolean): BodyRoom | undefined;
  /**
   * Undefined if the connection has room for one more response. Otherwise a promise that resolves when it is this exchange's turn;
   * it never settles if the peer disconnects. A response made without waiting may be aborted.
   */
  whenRoom(): Promise<void> | undefined;
  /**
   * Sends the whole response with `content-length`, which `headers` must not have, and `x-request-id`. Over HTTP/1.1 it adds
   * `connection: close` if the request body was not read. With trailers there is no `content-length`. Does nothing if a response was
   * sent before or the peer has disconnected.
   */
  respond(status: number, headers: ResponseHeaders, body: ResponseBody, trailers?: Readonly<Record<string, string>>): void;
  /**
   * Begins a response that is sent in pieces, instead of `respond`, with `x-request-id`. Call it once, and before `responded`.
   * Once `signal` aborts, writes no longer wait for the peer.
   */
  openResponse(status: number, headers: ResponseHeaders, signal?: AbortSignal): ResponseStream;
  /**
   * Call it before the last piece of a response when the body was not read to its end. Reads and discards the rest of the body,
   * within bounds of size and time, so that the response reaches a caller that is still sending. Resolves when the response may
   * end.
   */
  discardBody(): Promise<void>;
  /**
   * Calls back once, when the whole response has been sent (`completed`) or the peer has disconnected. Calls back at once if that has
   * already happened.
   */
  onEnd(callback: (completed: boolean) => void): void;
}

/** Responds to exchanges. Must respond to each one, and never throws or rejects. */
export type RequestHandler = (exchange: Exchange) => void;

/**
 * Responds at once to exchanges whose head the transport refuses. Parts of the head that could not be read are missing: the method
 * and path are then empty, and there are no headers.
 */
export type FaultHandler = (exchange: Exchange, fault: TransportFault) => void;

/** Responds with the fault's status, and its message in plain text. */
export const respondWithFault: FaultHandler = (exchange, { reason, message, retryAfterMs, allow }) =>
  exchange.respond(
    FAULT_STATUS[reason],
    {
      "content-type": "text/plain; charset=utf-8",
      allow,
      "retry-after": retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000),
    },
    `${message}\n`,
  );

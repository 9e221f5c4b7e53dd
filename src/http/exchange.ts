// One request and its one answer, the same for HTTP/1.1 and HTTP/2. Everything behind the listener works on exchanges.
import type { BodyRoom } from "./body-budget.ts";
import type { Client } from "./client/client.ts";
import type { RequestHeaders, ResponseHeaders } from "./headers.ts";
import type { ResponseStream } from "./response-stream.ts";
import type { TransportFault } from "./transport-fault.ts";

/** One request and its one answer. */
export interface Exchange {
  readonly httpVersion: 1 | 2;
  /** Whether it came over TLS. */
  readonly isSecure: boolean;
  /** Who makes it: whoever is at the other end of the connection, or whom a trusted proxy there speaks for. */
  readonly client: Client;
  /** Upper case, as sent. */
  readonly method: string;
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string;
  /** The query as sent, without `?`; empty when there is none. */
  readonly query: string;
  /** The host that the request names, with its port where one is named: HTTP/2's `:authority`, or the `host` header. */
  readonly authority: string | undefined;
  /** Lower-case names. HTTP/2's pseudo-headers are left in; nothing should look at them. */
  readonly headers: RequestHeaders;
  /** The caller's `x-request-id` when it is a UUID, else a new one. Sent back on every answer. */
  readonly requestId: string;
  /** Whether the request announces a body: by `content-length` over 0, `transfer-encoding`, or an open HTTP/2 stream. */
  readonly hasBody: boolean;
  /** True once the answer's head has been sent. */
  readonly responded: boolean;
  /** The HTTP status of the answer; 0 until its head has been sent. */
  readonly status: number;
  /** How many bytes of the request's body have come so far, as they were sent: compressed, and without their framing. */
  readonly requestBodyBytes: number;
  /** How many bytes of the answer's body have been handed over so far, compressed, and without their framing. */
  readonly responseBodyBytes: number;
  /**
   * Reads the whole body, at most `bodyBytesMax` bytes; gives it at once where all of it has come. Rejects with a TransportError:
   * BODY_TOO_LARGE as soon as the announced or received size is over it, SERVER_BUSY where there is no room for it beside the others that
   * are being read, REQUEST_TIMEOUT when it does not come in time, CANCELLED when the peer goes away. Call it once. Callers who are not known
   * have a room of their own, which is small. `framingBytesMax` more are let in for the protocol's frames, and are not spoken of.
   */
  readBody(bodyBytesMax: number, isCallerKnown: boolean, framingBytesMax?: number): Uint8Array | Promise<Uint8Array>;
  /**
   * The body piece by piece, in place of `readBody`. Bytes are let in only as they are read, and a caller that waits for `100 Continue` gets
   * it with the first reading. Throws a TransportError CANCELLED when the peer goes away before the end. Call it once.
   */
  bodyChunks(): AsyncIterable<Uint8Array>;
  /** Room in the body budget for a body that is read piece by piece, of this many bytes at first; undefined when there is none. */
  reserveBody(bodyBytesMax: number, isCallerKnown: boolean): BodyRoom | undefined;
  /**
   * Room among what waits to be read on the connection, for an answer that is about to be made: undefined where there is some, else a promise
   * that is settled when it is this answer's turn, and never where the peer goes. An answer that is made without it may be broken off.
   */
  whenRoom(): Promise<void> | undefined;
  /**
   * Sends the answer whole, with `content-length`, `x-request-id` and, over HTTP/1.1 where the request's body was not read, with
   * `connection: close`. With trailers the length is left out. A second call does nothing, and so does one after the peer has gone.
   */
  respond(status: number, headers: ResponseHeaders, body: Uint8Array | string, trailers?: Readonly<Record<string, string>>): void;
  /**
   * Begins an answer that is sent piece by piece, in place of `respond`, with `x-request-id`. Call it once, before `responded`. Once `signal`
   * aborts nobody waits any more for the peer to read.
   */
  openResponse(status: number, headers: ResponseHeaders, signal?: AbortSignal): ResponseStream;
  /**
   * For whoever answers in pieces without having read the body to its end, before the last piece: what is left of the body is let in and
   * thrown away, as much and for as long as is decent, so that the answer reaches a caller who is still sending. Resolves when the answer
   * may be ended.
   */
  dismissBody(): Promise<void>;
  /** Calls back once, when the answer has been sent whole (`completed`) or the peer has gone before that; at once if that is past. */
  onEnd(callback: (completed: boolean) => void): void;
}

/** Answers exchanges. It must answer each one, and never throws or rejects. */
export type RequestHandler = (exchange: Exchange) => void;

/**
 * Answers exchanges that the transport refuses for their heads, at once. What could not be read of a head is missing: the method and the
 * path are empty then, and there are no headers.
 */
export type FaultHandler = (exchange: Exchange, fault: TransportFault) => void;

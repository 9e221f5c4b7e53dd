// What an exchange needs of its connection.
import type { Peer } from "../client/peer.ts";
import type { RequestBody } from "../request-body.ts";
import type { UnsentOfConnection } from "../unsent-responses.ts";
import type { Part } from "./h1-output.ts";
import type { ResponseHeads } from "./response-head.ts";

/** An exchange, as it tells its connection which it is. */
export interface CarriedExchange {
  readonly body: RequestBody | undefined;
}

/** The connection, as its exchanges see it. */
export interface Carrier {
  readonly isSecure: boolean;
  readonly peer: Peer;
  readonly heads: ResponseHeads;
  /** The header lines that say for how long the connection is kept. */
  readonly keepAliveLines: string;
  readonly unsent: UnsentOfConnection;
  /** Whether more may be written without waiting. */
  readonly hasRoom: boolean;
  /** Somebody wants to read this exchange's body. */
  readBody(exchange: CarriedExchange): void;
  /** Takes what has come of a body that nobody reads, and answers whether that was all of it. */
  skipBody(exchange: CarriedExchange): boolean;
  /** Lets in what is left of a body and throws it away, within bounds. */
  dismissBody(exchange: CarriedExchange): void;
  /** Whether the connection closes with this exchange's answer, whose head is written now. It has to where `mustClose`. */
  closesWith(exchange: CarriedExchange, mustClose: boolean): boolean;
  /** Adds to what is written on behalf of the exchange whose turn it is. */
  send(part: Part, onSent?: () => void): void;
  /** Writes what was added, at the end of this turn at the latest. */
  flush(): void;
  /** The same, but not before the end of this turn. */
  flushSoon(): void;
  /** The exchange has handed over all of its answer. */
  finished(exchange: CarriedExchange): void;
  /** All of the answer has left of the exchange that has handed over its answer first. */
  left(): void;
  /** Cuts the connection. */
  cut(): void;
}

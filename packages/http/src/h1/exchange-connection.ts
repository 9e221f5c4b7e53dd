// What an exchange needs from its connection.
import type { Peer } from "../client/peer.ts";
import type { RequestBody } from "../request-body.ts";
import type { UnsentOfConnection } from "../unsent-responses.ts";
import type { Part } from "./h1-output.ts";
import type { ResponseHeads } from "./response-head.ts";

/** An exchange, as its connection identifies it. */
export interface ConnectionExchange {
  readonly body: RequestBody | undefined;
}

/** The connection, as seen by its exchanges. */
export interface ExchangeConnection {
  readonly isSecure: boolean;
  readonly peer: Peer;
  readonly heads: ResponseHeads;
  /** The header lines that say how long the connection is kept open. */
  readonly keepAliveLines: string;
  readonly unsent: UnsentOfConnection;
  /** Whether more may be written without waiting. */
  readonly hasRoom: boolean;
  /** Starts to read this exchange's body. */
  readBody(exchange: ConnectionExchange): void;
  /** Takes what has arrived of a body that is not being read. Returns whether that was all of it. */
  skipBody(exchange: ConnectionExchange): boolean;
  /** Reads and discards the rest of a body, within limits. */
  discardBody(exchange: ConnectionExchange): void;
  /** Whether the connection closes after this exchange's response, whose head is being written. Always true if `mustClose`. */
  closesWith(exchange: ConnectionExchange, mustClose: boolean): boolean;
  /** Adds to the output of the exchange whose turn it is. */
  send(part: Part, onSent?: () => void): void;
  /** Writes what was added, by the end of this turn at the latest. */
  flush(): void;
  /** Writes what was added, at the end of this turn. */
  flushSoon(): void;
  finished(exchange: ConnectionExchange): void;
  /** Called when the first finished response has been sent. */
  responseSent(): void;
  disconnect(): void;
}

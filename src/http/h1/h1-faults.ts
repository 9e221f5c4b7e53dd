// What Node's HTTP/1.1 parser refuses, and when its refusal can be said: answers of one connection keep the order of its requests, so a
// fault waits for the calls under way before it.
import type { Socket } from "node:net";
import type { ServerLimits } from "../limits.ts";
import { LINGER_BYTES_MAX } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { headersTooLarge, uriTooLong } from "../request-head.ts";
import type { TransportFault } from "../transport-fault.ts";
import type { UnsentOfConnection } from "../unsent-responses.ts";
import type { H1Exchange } from "./h1-exchange.ts";
import { answerRaw } from "./raw-response.ts";

/** One HTTP/1.1 connection. */
export interface Http1Connection {
  /** What waits on it to be read. */
  readonly unsent: UnsentOfConnection;
  /** Requests so far. */
  requests: number;
  /** Exchanges whose answer has not been sent whole. */
  inFlight: number;
  /** Since when no exchange is under way, while none is; on the monotonic clock. */
  quietSinceMs: number;
  /** The exchange whose request came last. */
  last: H1Exchange | undefined;
  /** What was wrong with what came after it: said once its answer, and those before it, are out. */
  fault: TransportFault | undefined;
  /** How much had been read when the fault was answered. */
  bytesReadAtFault: number | undefined;
}

/** What the parser reports. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Says the fault now, or keeps it for later, or cuts the connection where nothing can be said any more. */
export function refuse(listenerContext: ListenerContext, socket: Socket, connection: Http1Connection, fault: TransportFault): void {
  if (connection.bytesReadAtFault !== undefined) {
    // The parser says so again of everything that follows.
    if (socket.bytesRead - connection.bytesReadAtFault > LINGER_BYTES_MAX) {
      socket.destroy();
    }
  } else if (connection.inFlight === 0) {
    answerFault(listenerContext, socket, connection, fault);
  } else if (connection.fault !== undefined) {
    // The answer waits for those before it, and nothing that follows is of use.
    socket.pause();
  } else if (connection.last?.isIncomplete) {
    // It is the body of the request under way that is at fault; an answer that has begun cannot be taken back.
    if (connection.last.responded || connection.inFlight > 1) {
      socket.destroy();
    } else {
      answerFault(listenerContext, socket, connection, fault);
    }
  } else {
    connection.fault = fault;
  }
}

/** Says the fault and closes the connection. */
export function answerFault(
  listenerContext: ListenerContext,
  socket: Socket,
  connection: Http1Connection,
  fault: TransportFault,
): void {
  if (socket.writable) {
    connection.bytesReadAtFault = socket.bytesRead;
    answerRaw(listenerContext, socket, fault);
  } else {
    socket.destroy();
  }
}

/** The fault that a parser's error stands for. */
export function parserFault(error: ParserError, limits: ServerLimits): TransportFault {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW": {
      const line = error.rawPacket?.indexOf("\n") ?? 0;
      const lineBytes = line < 0 ? Number.POSITIVE_INFINITY : line;
      return lineBytes > limits.urlBytesMax ? uriTooLong(limits) : headersTooLarge(limits);
    }
    case "HPE_INVALID_URL":
      return {
        reason: "MALFORMED_REQUEST",
        message: "The URL must be ASCII without control characters; percent-encode everything else, as UTF-8.",
        cause: error,
      };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { reason: "REQUEST_TIMEOUT", message: "The request did not arrive whole in time." };
    default:
      return { reason: "MALFORMED_REQUEST", message: "The request is not well-formed HTTP/1.1.", cause: error };
  }
}

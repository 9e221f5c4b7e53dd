// HTTP/1.1: Node's own server with our limits, and our words for everything that it would refuse in its own.
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ignoreErrors } from "../ignore-errors.ts";
import type { ServerLimits } from "../limits.ts";
import type { ListenerContext } from "../listener-context.ts";
import { headFault } from "../request-head.ts";
import type { TransportFault } from "../transport-fault.ts";
import { UnsentOfConnection } from "../unsent-responses.ts";
import { H1Exchange } from "./h1-exchange.ts";
import { answerFault, type Http1Connection, type ParserError, parserFault, refuse } from "./h1-faults.ts";
import { watchIdleness } from "./h1-idle.ts";
import { answerRaw } from "./raw-response.ts";

/** The options of a server of Node's that keeps to the limits. */
export function http1Options(limits: ServerLimits): ServerOptions {
  return {
    // Only names and values count here, and the URL. What is a little over is refused by `headFault`, which can tell the two apart.
    maxHeaderSize: limits.urlBytesMax + 2 * limits.headerBytesMax,
    headersTimeout: limits.headerTimeoutMs,
    // The last resort: bodies are timed by whoever reads them.
    requestTimeout: limits.headerTimeoutMs + 2 * limits.bodyTimeoutMs,
    connectionsCheckingInterval: Math.ceil(limits.headerTimeoutMs / 2),
    keepAliveTimeout: limits.idleTimeoutMs,
    // A peer that has gone without a word is found out even where nothing is said for long, as on a stream.
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    // A missing Host is refused by `headFault`, in our words.
    requireHostHeader: false,
  };
}

/**
 * Makes a server that was created with `http1Options` answer through the listener's handle. What it returns is to be called for each
 * connection that speaks HTTP/1.1, before the server gets it.
 */
export function serveHttp1(server: Server, listenerContext: ListenerContext): (socket: Socket) => void {
  const { clock, limits } = listenerContext;
  const connections = new WeakMap<Duplex, Http1Connection>();
  const connectionOf = (socket: Duplex): Http1Connection => {
    let connection = connections.get(socket);
    if (connection === undefined) {
      connection = {
        unsent: new UnsentOfConnection(socket as Socket),
        requests: 0,
        inFlight: 0,
        quietSinceMs: clock.monotonicMs(),
        last: undefined,
        fault: undefined,
        bytesReadAtFault: undefined,
      };
      connections.set(socket, connection);
    }
    return connection;
  };
  // One more than is allowed, because Node drops the rest without a word.
  server.maxHeadersCount = limits.headersMax + 1;
  server.timeout = limits.stallTimeoutMs;

  const serve = (request: IncomingMessage, response: ServerResponse, waitsForContinue: boolean): void => {
    ignoreErrors(request);
    ignoreErrors(response);
    const { socket } = request;
    const connection = connectionOf(socket);
    connection.requests += 1;
    if (connection.requests > limits.requestsPerConnectionMax) {
      // It was sent without waiting for the answer before it, which closes the connection.
      return;
    }
    if (connection.requests === limits.requestsPerConnectionMax || listenerContext.draining) {
      response.shouldKeepAlive = false;
    }
    const exchange = new H1Exchange(listenerContext, connection.unsent, request, response, waitsForContinue);
    connection.inFlight += 1;
    connection.last = exchange;
    exchange.onEnd(() => {
      connection.inFlight -= 1;
      connection.quietSinceMs = clock.monotonicMs();
      if (connection.fault !== undefined && connection.inFlight === 0) {
        answerFault(listenerContext, socket, connection, connection.fault);
      }
      if (listenerContext.draining) {
        // A connection counts as idle only after the event that brought us here.
        setImmediate(() => server.closeIdleConnections());
      }
    });
    const fault = requestFault(request, connection.inFlight, limits);
    if (fault === undefined) {
      listenerContext.handle(exchange);
    } else {
      // Nothing is read behind a head that we refuse: what its sender means cannot be told, or it has cost enough.
      response.shouldKeepAlive &&= fault.reason === "RATE_LIMITED";
      const answer = listenerContext.transportAnswer(fault, exchange.requestId);
      exchange.respond(answer.status, answer.headers, answer.body);
    }
  };

  server.on("request", (request, response) => serve(request, response, false));
  server.on("checkContinue", (request, response) => serve(request, response, true));
  // Other expectations may be ignored: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
  server.on("checkExpectation", (request, response) => serve(request, response, false));
  server.on("connect", (_request, socket) => {
    answerRaw(listenerContext, socket as Socket, {
      reason: "METHOD_NOT_ALLOWED",
      message: "This is not a proxy; CONNECT is not served.",
      allow: "GET, HEAD, POST",
    });
  });
  server.on("clientError", (error: ParserError, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
    } else {
      refuse(listenerContext, socket as Socket, connectionOf(socket), parserFault(error, limits));
    }
  });
  return (socket) => watchIdleness(socket, connectionOf(socket), listenerContext);
}

// What is wrong with a request that the parser has let through.
function requestFault(request: IncomingMessage, inFlight: number, limits: ServerLimits): TransportFault | undefined {
  if (inFlight > limits.requestsUnderWayMax) {
    return {
      reason: "RATE_LIMITED",
      message: `More than ${limits.requestsUnderWayMax} requests are waiting on this connection; wait for answers before sending more.`,
      retryAfterMs: 1000,
    };
  }
  const { url = "", rawHeaders, headers, httpVersionMajor, httpVersionMinor } = request;
  if (httpVersionMajor !== 1) {
    const message = "The request line must say HTTP/1.1 or HTTP/1.0; HTTP/2 begins with its preface, or by ALPN.";
    return { reason: "HTTP_VERSION_UNKNOWN", message };
  }
  const encoding = headers["transfer-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "chunked") {
    const message = "The only transfer-encoding that is understood is chunked; a compressed body says so in content-encoding.";
    return { reason: "TRANSFER_ENCODING_UNKNOWN", message };
  }
  return headFault({ url, rawHeaders, host: headers.host, hostRequired: httpVersionMinor >= 1 }, limits);
}

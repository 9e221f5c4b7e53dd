// The admin port, for operators' tools, at a separate address that customers cannot reach. It serves only `GET /metrics`, without a key:
// anybody who can reach the port may read the metrics. The main thread serves them. If there are several threads, the main thread serves no
// calls, so it responds even while all others are busy.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Log } from "../../runtime/log.ts";
import { CONTENT_TYPE } from "../metrics/exposition.ts";
import { AdminListenError } from "./admin-listen-error.ts";

export interface AdminAddress {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

interface AdminServerOptions {
  /** The text of all metrics. */
  readonly metrics: () => string;
  readonly log: Log;
}

export interface AdminServer {
  /** Begins to listen, and returns the address. Rejects with an AdminListenError. */
  listen(at: AdminAddress): Promise<AdminAddress>;
  /** Stops the server immediately. */
  close(): Promise<void>;
}

// Scrapers open one connection at a time, and send a short head and no body. A new connection for each scrape costs them little.
const CONNECTIONS_MAX = 32;
const HEAD_BYTES_MAX = 8192;
const TIMEOUT_MS = 10_000;

/** Creates the server, which does not listen yet. */
export function createAdminServer({ metrics, log }: AdminServerOptions): AdminServer {
  // Many connections may send a request in the same turn of the event loop. They get the same text.
  let text: string | undefined;
  const textOfTurn = (): string => {
    if (text === undefined) {
      text = metrics();
      setImmediate(() => {
        text = undefined;
      });
    }
    return text;
  };
  const server = createServer(
    { maxHeaderSize: HEAD_BYTES_MAX, headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS },
    (request, response) => respond(request, response, textOfTurn),
  );
  // Node handles all requests in a chunk of input in one turn, and buffers their responses: 1,600 short requests would keep the thread busy
  // for seconds, and take 40 MB. So each connection may send one request, and is closed at the second.
  server.maxRequestsPerSocket = 1;
  server.on("dropRequest", (_request, socket) => socket.destroy());
  // A connection over the limit replaces the oldest one, so idle connections cannot keep scrapers away.
  const connections = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    const [first] = connections;
    if (connections.size > CONNECTIONS_MAX) {
      first?.destroy();
    }
  });
  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        const refuse = (error: Error): void =>
          reject(
            new AdminListenError(
              `Cannot listen on ${host}, port ${port}, for metrics: ${error.message}. Set QUINTET_ADMIN_HOST or QUINTET_ADMIN_PORT.`,
            ),
          );
        server.once("error", refuse);
        server.listen({ host, port }, () => {
          server.off("error", refuse);
          server.on("error", (error) => log.error({ err: error }, "accepting a connection on the admin port failed"));
          const { address, port: taken } = server.address() as AddressInfo;
          resolve({ host: address, port: taken });
        });
      }),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => {
        // An error here means that the server was not listening.
        server.close(() => resolve());
      });
    },
  };
}

function respond({ method, url = "" }: IncomingMessage, response: ServerResponse, metrics: () => string): void {
  const [path] = url.split("?");
  if (path !== "/metrics") {
    send(response, 404, "text/plain; charset=utf-8", "There is nothing at this path. /metrics has the metrics.\n");
  } else if (method !== "GET" && method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    send(response, 405, "text/plain; charset=utf-8", "This path accepts GET and HEAD.\n");
  } else {
    send(response, 200, CONTENT_TYPE, metrics());
  }
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { "content-type": contentType, "cache-control": "no-store", "x-content-type-options": "nosniff" });
  response.end(body);
}

// The admin port: what operators' tools ask a process, on an address of its own that customers cannot reach. It answers `GET /metrics` and
// nothing else, with no key: whoever reaches the port may read it. It is served by the main thread, which serves no calls where there are
// several threads, so an answer comes also while all of them are busy.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log } from "../../runtime/log.ts";
import { CONTENT_TYPE } from "../metrics/exposition.ts";
import { AdminListenError } from "./admin-listen-error.ts";

/** Where it listens. */
export interface AdminAddress {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}

/** What it answers from. */
export interface AdminServerOptions {
  /** The text of all metrics. */
  readonly metrics: () => string;
  readonly log: Log;
}

/** The admin server. */
export interface AdminServer {
  /** Begins to listen, and returns the address. Rejects with an AdminListenError. */
  listen(at: AdminAddress): Promise<AdminAddress>;
  /** Ends it at once. */
  close(): Promise<void>;
}

// Scrapers come one at a time, with a short head and no body.
const CONNECTIONS_MAX = 32;
const HEAD_BYTES_MAX = 8192;
const TIMEOUT_MS = 10_000;

/** Makes the server; it does not listen yet. */
export function createAdminServer({ metrics, log }: AdminServerOptions): AdminServer {
  const server = createServer(
    { maxHeaderSize: HEAD_BYTES_MAX, headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS },
    (request, response) => answer(request, response, metrics),
  );
  server.maxConnections = CONNECTIONS_MAX;
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
        // An error says that it does not listen.
        server.close(() => resolve());
      });
    },
  };
}

function answer({ method, url = "" }: IncomingMessage, response: ServerResponse, metrics: () => string): void {
  const [path] = url.split("?");
  if (path !== "/metrics") {
    send(response, 404, "text/plain; charset=utf-8", "There is nothing at this path. /metrics has the metrics.\n");
  } else if (method !== "GET" && method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    send(response, 405, "text/plain; charset=utf-8", "This path takes GET and HEAD.\n");
  } else {
    send(response, 200, CONTENT_TYPE, metrics());
  }
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { "content-type": contentType, "cache-control": "no-store", "x-content-type-options": "nosniff" });
  response.end(body);
}

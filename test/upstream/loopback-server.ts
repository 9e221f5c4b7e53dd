// A real HTTP server on the loopback interface for tests of requests and responses.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A running server. */
export interface LoopbackServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** The requests so far, in order. */
  readonly requests: readonly IncomingMessage[];
  /** Resolves once `count` requests have arrived in total. */
  received(count: number): Promise<void>;
}

/** Starts a server that responds with `respond`, and closes it after the test. */
export async function startLoopbackServer(
  respond: (request: IncomingMessage, response: ServerResponse, count: number) => void,
): Promise<LoopbackServer> {
  const requests: IncomingMessage[] = [];
  const awaited: { count: number; resolve: () => void }[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request);
    respond(request, response, requests.length);
    for (const { count, resolve } of awaited) {
      if (requests.length >= count) {
        resolve();
      }
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    received: (count) =>
      new Promise((resolve) => {
        awaited.push({ count, resolve });
        if (requests.length >= count) {
          resolve();
        }
      }),
  };
}

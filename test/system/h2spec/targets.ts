// The servers that h2spec is run against: our listener, and Node's own bare HTTP/2 server to compare it with. Ours runs with the two ways
// in which it handles a request: one reads the body and responds, the other refuses it unread.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import {
  createServer as createBareServer,
  createSecureServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer, type Exchange, type RequestHandler } from "@quintet/http";
import { DEFAULT_HTTP_LIMITS } from "../../../src/config/http-limits.ts";
import { loadTls } from "../../../src/config/tls.ts";
import { systemClock } from "../../../src/runtime/clock.ts";

/** With prior knowledge over cleartext, or with ALPN over TLS. */
export type Transport = "h2c" | "TLS";

/** One server, on a free loopback port. */
export interface Target {
  readonly name: string;
  readonly transport: Transport;
  readonly port: number;
}

const certificate = (name: string): string => join(import.meta.dirname, "../../../packages/http/test/certificates", name);
const FILES = { cert: certificate("server.pem"), key: certificate("server.key"), clientCa: undefined };

const RESPONSE = "An answer that is long enough to be sent in several frames.";
/**
 * The time before a response. Some cases send a second frame while the request is in progress, so the response must not be immediate.
 */
const RESPONSE_MS = 50;

/** Node's own server. */
export async function startBare(transport: Transport): Promise<Target> {
  const handle = (_request: Http2ServerRequest, response: Http2ServerResponse): void => {
    systemClock.after(RESPONSE_MS, () => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.end(RESPONSE);
    });
  };
  const server: Http2Server =
    transport === "TLS"
      ? createSecureServer({ cert: readFileSync(FILES.cert), key: readFileSync(FILES.key) }, handle)
      : createBareServer(handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { name: "bare node:http2", transport, port: (server.address() as AddressInfo).port };
}

const respond = (exchange: Exchange, status: number): void => {
  systemClock.after(RESPONSE_MS, () => exchange.respond(status, { "content-type": "text/plain" }, RESPONSE));
};

const respondsToAll: RequestHandler = (exchange) => {
  Promise.resolve(exchange.readBody(DEFAULT_HTTP_LIMITS.bodyBytesMax, true)).then(
    () => respond(exchange, 200),
    () => respond(exchange, 400),
  );
};

const refuses: RequestHandler = (exchange) => respond(exchange, 401);

/** Our listener, with both ways. */
export async function startOurs(transport: Transport): Promise<readonly Target[]> {
  const start = async (name: string, handle: RequestHandler): Promise<Target> => {
    const listener = createServer({
      tls: transport === "TLS" ? loadTls({ ...FILES, clientCerts: "off" }) : undefined,
      handle,
      handleFault: (exchange, { message }) => exchange.respond(400, { "content-type": "text/plain" }, message),
    });
    const { port } = await listener.listen("127.0.0.1", 0);
    return { name, transport, port };
  };
  return [await start("our listener, answering", respondsToAll), await start("our listener, refusing", refuses)];
}

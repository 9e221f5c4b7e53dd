// The one port. It accepts connections, tells what each speaks, and makes every request an exchange for the handle. It promises that
// nothing a peer sends or leaves out holds more than the limits allow, and that a drain lets calls under way end.
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { watchFirstBytes } from "./first-bytes.ts";
import { http1Options, serveHttp1 } from "./http1.ts";
import { type Http2Connection, http2Options, serveHttp2 } from "./http2.ts";
import { loadTls, type TlsFiles, tlsOptions } from "./tls.ts";
import { Traffic, type TrafficOptions } from "./traffic.ts";

/** What a listener is made from. With `tls`, its port speaks TLS and nothing else. */
export interface ListenerOptions extends TrafficOptions {
  readonly tls?: TlsFiles | undefined;
}

/** Where to listen. */
interface ListenOptions {
  /** Lets several threads listen on the same port; the kernel spreads the connections. */
  readonly reusePort?: boolean;
}

/** One listening port. */
export interface Listener {
  /** Begins to accept connections, and answers where. Rejects when the address cannot be had. */
  listen(host: string, port: number, options?: ListenOptions): Promise<{ host: string; port: number }>;
  /** Reads the TLS files again, for connections from now on. Throws, and keeps what it has, when they are faulty. */
  reloadTls(): void;
  /** Accepts nothing more, tells peers so, waits for calls under way and then for at most `graceMs`, and cuts what is left. */
  drain(graceMs: number): Promise<void>;
  /** Cuts everything. */
  close(): Promise<void>;
}

/** Makes a listener. Throws when the TLS files are faulty. */
export function createListener({ tls, ...options }: ListenerOptions): Listener {
  const traffic = new Traffic(options);
  const { limits, clock, log } = traffic;
  const sockets = new Set<Socket>();
  const undecided = new Set<Socket>();
  const http2Connections = new Set<Http2Connection>();
  const secure =
    tls === undefined ? undefined : createHttpsServer({ ...http1Options(limits), ...tlsOptions(loadTls(tls), limits) });
  const server: HttpServer | HttpsServer = secure ?? createHttpServer(http1Options(limits));
  server.maxConnections = limits.connectionsMax;
  serveHttp1(server, traffic);

  // Node's server serves HTTP/1.1 on whatever connects; its listener moves behind the question what the connection speaks.
  const connected = secure === undefined ? "connection" : "secureConnection";
  const [acceptHttp1] = server.listeners(connected) as [(socket: Socket) => void];
  server.removeListener(connected, acceptHttp1);
  const options2 = http2Options(limits);
  const acceptHttp2 = (socket: Socket): void => {
    const connection = serveHttp2(socket, options2, traffic);
    http2Connections.add(connection);
    if (traffic.draining) {
      // It was still shaking hands when the drain began.
      connection.retire();
    }
    socket.once("close", () => http2Connections.delete(connection));
  };

  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    if (secure === undefined) {
      undecided.add(socket);
      socket.once("close", () => undecided.delete(socket));
      watchFirstBytes(socket, clock, limits.firstByteTimeoutMs, (version) => {
        undecided.delete(socket);
        if (version === 2) {
          // It takes the bytes that were put back by itself; a flowing socket would lose them.
          acceptHttp2(socket);
        } else {
          acceptHttp1.call(server, socket);
          socket.resume();
        }
      });
    }
  });
  secure?.on("secureConnection", (socket: TLSSocket) => {
    (socket.alpnProtocol === "h2" ? acceptHttp2 : acceptHttp1).call(server, socket);
  });
  secure?.on("tlsClientError", (error, socket) => {
    log.debug({ err: error }, "a TLS handshake failed");
    socket.destroy();
  });

  let closed: Promise<void> | undefined;
  const stopAccepting = (): Promise<void> => {
    closed ??= new Promise((resolve) => {
      server.close(() => resolve());
    });
    return closed;
  };
  const cut = (): void => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };

  return {
    listen(host, port, { reusePort = false } = {}) {
      return new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host, port, reusePort }, () => {
          server.off("error", reject);
          server.on("error", (error) => log.error({ err: error }, "accepting a connection failed"));
          const address = server.address() as AddressInfo;
          resolve({ host: address.address, port: address.port });
        });
      });
    },
    reloadTls() {
      if (tls !== undefined) {
        secure?.setSecureContext(tlsOptions(loadTls(tls), limits));
      }
    },
    async drain(graceMs) {
      traffic.draining = true;
      const allClosed = stopAccepting();
      for (const socket of undecided) {
        socket.destroy();
      }
      for (const connection of http2Connections) {
        connection.retire();
      }
      const cancelTimer = clock.after(graceMs, () => {
        log.warn({ calls: traffic.underWay, connections: sockets.size }, "the drain's time is up, cutting what is left");
        cut();
      });
      await allClosed;
      cancelTimer();
    },
    async close() {
      const allClosed = stopAccepting();
      cut();
      await allClosed;
    },
  };
}

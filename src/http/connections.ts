// The open connections of one port, and which of the two HTTP versions each is given to. The server is Node's own, which serves HTTP/1.1
// on whatever connects: its listener moves behind the question what the connection speaks.
import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { runForConnection } from "./connection-scope.ts";
import { ConnectionsPerAddress } from "./connections-per-address.ts";
import { watchFirstBytes } from "./first-bytes.ts";
import { type Http2Connection, http2Options, serveHttp2 } from "./h2/h2-server.ts";
import { ignoreErrors } from "./ignore-errors.ts";
import type { ListenerContext } from "./listener-context.ts";

type Accept = (socket: Socket) => void;

/** The open connections of one listener. */
export class Connections {
  readonly #traffic: ListenerContext;
  readonly #openHttp1: Accept;
  readonly #all = new Set<Socket>();
  /** Those that have not said what they speak. */
  readonly #undecided = new Set<Socket>();
  readonly #http2 = new Set<Http2Connection>();

  readonly #perAddress: ConnectionsPerAddress;

  /** `openHttp1` is called for each connection that speaks HTTP/1.1, before the server gets it. */
  constructor(listenerContext: ListenerContext, openHttp1: Accept) {
    this.#traffic = listenerContext;
    this.#openHttp1 = openHttp1;
    this.#perAddress = new ConnectionsPerAddress(listenerContext.limits.connectionsPerAddressMax);
  }

  get size(): number {
    return this.#all.size;
  }

  /** Accepts cleartext: HTTP/1.1, or HTTP/2 with prior knowledge. */
  acceptCleartext(server: HttpServer): void {
    const { clock, limits } = this.#traffic;
    const acceptHttp1 = this.#takeHttp1(server, "connection");
    const acceptHttp2 = this.#track(server);
    server.on("connection", (socket: Socket) => {
      if (socket.destroyed) {
        return;
      }
      this.#undecided.add(socket);
      socket.once("close", () => this.#undecided.delete(socket));
      watchFirstBytes(socket, clock, limits.firstByteTimeoutMs, (version, seen) => {
        this.#undecided.delete(socket);
        runForConnection(socket, () => {
          // In here, because it sets the reading going again.
          socket.unshift(seen);
          if (version === 2) {
            // It takes the bytes that were put back by itself; a flowing socket would lose them.
            acceptHttp2(socket);
          } else {
            acceptHttp1(socket);
            socket.resume();
          }
        });
      });
    });
  }

  /** Accepts TLS, with the version that was agreed on by ALPN; HTTP/1.1 without it. */
  acceptSecure(server: HttpsServer): void {
    const acceptHttp1 = this.#takeHttp1(server, "secureConnection");
    const acceptHttp2 = this.#track(server);
    server.on("secureConnection", (socket: TLSSocket) => {
      ignoreErrors(socket);
      runForConnection(socket, () => (socket.alpnProtocol === "h2" ? acceptHttp2 : acceptHttp1)(socket));
    });
    server.on("tlsClientError", (error, socket) => {
      this.#traffic.log.debug({ err: error }, "a TLS handshake failed");
      socket.destroy();
    });
  }

  /** Closes those that have not said what they speak, and lets HTTP/2's end gracefully. HTTP/1.1's are the server's to close. */
  retire(): void {
    for (const socket of this.#undecided) {
      socket.destroy();
    }
    for (const connection of this.#http2) {
      connection.retire();
    }
  }

  /** Cuts all of them. */
  cut(): void {
    for (const socket of this.#all) {
      socket.destroy();
    }
  }

  // Keeps account of what connects, and answers what accepts a connection that speaks HTTP/2.
  #track(server: HttpServer | HttpsServer): Accept {
    const options = http2Options(this.#traffic.limits);
    server.on("connection", (socket: Socket) => {
      ignoreErrors(socket);
      const close = this.#perAddress.open(socket.remoteAddress ?? "");
      if (close === undefined) {
        socket.destroy();
        return;
      }
      this.#all.add(socket);
      socket.once("close", () => {
        this.#all.delete(socket);
        close();
      });
    });
    return (socket) => {
      const connection = serveHttp2(socket, options, this.#traffic);
      this.#http2.add(connection);
      socket.once("close", () => this.#http2.delete(connection));
      if (this.#traffic.draining) {
        // It was still shaking hands when the drain began.
        connection.retire();
      }
    };
  }

  // Takes away what the server does with a connection, and answers what does it to one that speaks HTTP/1.1.
  #takeHttp1(server: HttpServer | HttpsServer, event: "connection" | "secureConnection"): Accept {
    const [accept] = server.listeners(event) as [Accept];
    server.removeListener(event, accept);
    return (socket) => {
      this.#openHttp1(socket);
      accept.call(server, socket);
    };
  }
}

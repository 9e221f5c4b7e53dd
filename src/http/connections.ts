// The open connections of one port, and which of the two HTTP versions serves each.
import type { Server, Socket } from "node:net";
import type { TLSSocket, Server as TlsServer } from "node:tls";
import { ConnectionsPerAddress } from "./connections-per-address.ts";
import { watchFirstBytes } from "./first-bytes.ts";
import { createHttp1Server, type ServeHttp1 } from "./h1/h1-server.ts";
import { serveHttp2 } from "./h2/h2-server.ts";
import { ignoreErrors } from "./ignore-errors.ts";
import { FAREWELL_MS } from "./linger.ts";
import type { ListenerContext } from "./listener-context.ts";

/** One connection that is served. */
interface Connection {
  /** Lets calls under way end and closes the connection then. */
  retire(): void;
}

/** The connections that are open, by what they speak, and those that came so far. */
export interface ConnectionCounts {
  readonly undecided: number;
  readonly http1: number;
  readonly http2: number;
  readonly accepted: number;
  /** Closed at once, because their address had as many as it may have. */
  readonly turnedAway: number;
}

/** The open connections of one listener. */
export class Connections {
  readonly #listenerContext: ListenerContext;
  readonly #all = new Set<Socket>();
  /** Those that have not said what they speak. */
  readonly #undecided = new Set<Socket>();
  readonly #served = new Set<Connection>();
  readonly #perAddress: ConnectionsPerAddress;
  readonly #serveHttp1: ServeHttp1;
  readonly #open = { 1: 0, 2: 0 };
  #accepted = 0;
  #turnedAway = 0;

  constructor(listenerContext: ListenerContext) {
    this.#listenerContext = listenerContext;
    this.#perAddress = new ConnectionsPerAddress(listenerContext.limits.connectionsPerAddressMax);
    this.#serveHttp1 = createHttp1Server(listenerContext);
  }

  get size(): number {
    return this.#all.size;
  }

  get counts(): ConnectionCounts {
    const { 1: http1, 2: http2 } = this.#open;
    return { undecided: this.#all.size - http1 - http2, http1, http2, accepted: this.#accepted, turnedAway: this.#turnedAway };
  }

  /** Accepts cleartext: HTTP/1.1, or HTTP/2 with prior knowledge. */
  acceptCleartext(server: Server): void {
    const { clock, limits } = this.#listenerContext;
    server.on("connection", (socket: Socket) => {
      if (!this.#track(socket)) {
        return;
      }
      this.#undecided.add(socket);
      socket.once("close", () => this.#undecided.delete(socket));
      watchFirstBytes(socket, clock, limits.firstByteTimeoutMs, (version, seen) => {
        this.#undecided.delete(socket);
        // Before what may pause it again.
        socket.resume();
        this.#serve(
          socket,
          version,
          version === 2 ? serveHttp2(socket, this.#listenerContext, seen) : this.#serveHttp1(socket, seen),
        );
      });
    });
  }

  /** Accepts TLS, with the version that was agreed on by ALPN; HTTP/1.1 without it. */
  acceptSecure(server: TlsServer): void {
    server.on("connection", (socket: Socket) => this.#track(socket));
    server.on("secureConnection", (socket: TLSSocket) => {
      ignoreErrors(socket);
      const version = socket.alpnProtocol === "h2" ? 2 : 1;
      this.#serve(socket, version, version === 2 ? serveHttp2(socket, this.#listenerContext) : this.#serveHttp1(socket));
    });
    server.on("tlsClientError", (error, socket) => {
      this.#listenerContext.log.debug({ err: error }, "a TLS handshake failed");
      socket.destroy();
    });
  }

  /** Lets all of them end gracefully. Those that have not said what they speak have as long as idle ones. */
  retire(): void {
    for (const connection of this.#served) {
      connection.retire();
    }
    const undecided = [...this.#undecided];
    const cancelTimer = this.#listenerContext.clock.after(FAREWELL_MS, () => {
      for (const socket of undecided) {
        if (this.#undecided.has(socket)) {
          socket.destroy();
        }
      }
    });
    if (undecided.length === 0) {
      cancelTimer();
    }
  }

  /** Cuts all of them. */
  cut(): void {
    for (const socket of this.#all) {
      socket.destroy();
    }
  }

  // Keeps account of what connects. False where there are too many of its address, and it is cut.
  #track(socket: Socket): boolean {
    ignoreErrors(socket);
    const close = this.#perAddress.open(socket.remoteAddress ?? "");
    this.#accepted += 1;
    if (close === undefined) {
      this.#turnedAway += 1;
      socket.destroy();
      return false;
    }
    this.#all.add(socket);
    socket.once("close", () => {
      this.#all.delete(socket);
      close();
    });
    return true;
  }

  #serve(socket: Socket, version: 1 | 2, connection: Connection): void {
    this.#served.add(connection);
    this.#open[version] += 1;
    socket.once("close", () => {
      this.#served.delete(connection);
      this.#open[version] -= 1;
    });
    if (this.#listenerContext.draining) {
      // It was still shaking hands when the drain began.
      connection.retire();
    }
  }
}

// The open connections of one port, who is at their other ends, and which of the two HTTP versions serves each.
import type { Server, Socket } from "node:net";
import type { TLSSocket, Server as TlsServer } from "node:tls";
import { TIMER_MS_MAX } from "../runtime/clock.ts";
import { certificateOf } from "./client/client-certificate.ts";
import { Peer } from "./client/peer.ts";
import { readProxyHeader } from "./client/proxy-header-reader.ts";
import { type ConnectionPlace, ConnectionPlaces } from "./connection-places.ts";
import { watchFirstBytes } from "./first-bytes.ts";
import { createHttp1Server, type ServeHttp1 } from "./h1/h1-server.ts";
import { serveHttp2 } from "./h2/h2-server.ts";
import { ignoreErrors } from "./ignore-errors.ts";
import { FAREWELL_MS } from "./linger.ts";
import type { ListenerContext } from "./listener-context.ts";
import { socketName } from "./socket-name.ts";

const doNothing = (): void => {};

/** One connection that is served. */
interface Connection {
  /** Lets calls under way end and closes the connection then. */
  retire(): void;
  /** Closes the connection gracefully, on which nothing is under way. */
  closeQuiet(): void;
}

/** The connections that are open, by what they speak, and those that came so far. */
export interface ConnectionCounts {
  readonly undecided: number;
  readonly http1: number;
  readonly http2: number;
  readonly accepted: number;
  /** Closed at once, because their address or the listener had as many as it may have. */
  readonly turnedAway: number;
  /** Closed with nothing under way, so that a newcomer has their place. */
  readonly madeWay: number;
}

/** Where a connection comes from. */
interface Source {
  readonly address: string;
  /** Whether that is a trusted proxy, which speaks for its callers. */
  readonly isProxy: boolean;
  readonly place: ConnectionPlace;
}

/** A TLS handshake. */
interface Handshake extends Source {
  /** By which authorities a client certificate is verified in it. */
  readonly authorities: number;
}

/** The open connections of one listener. */
export class Connections {
  readonly #context: ListenerContext;
  readonly #all = new Set<Socket>();
  /** Those that have not said what they speak, and what cancels the timer that closes them in a drain. */
  readonly #undecided = new Map<Socket, () => void>();
  readonly #served = new Map<Connection, Peer>();
  /** Those that are shaking hands, by their names. */
  readonly #shakingHands = new Map<string, Handshake>();
  readonly #places: ConnectionPlaces;
  readonly #serveHttp1: ServeHttp1;
  readonly #open = { 1: 0, 2: 0 };
  #accepted = 0;
  #turnedAway = 0;
  // Counts the changes of the authorities for client certificates.
  #authorities = 0;

  constructor(context: ListenerContext) {
    this.#context = context;
    this.#places = new ConnectionPlaces(context.limits);
    this.#serveHttp1 = createHttp1Server(context);
  }

  get size(): number {
    return this.#all.size;
  }

  get counts(): ConnectionCounts {
    const { 1: http1, 2: http2 } = this.#open;
    const { madeWay } = this.#places;
    return {
      undecided: this.#all.size - http1 - http2,
      http1,
      http2,
      accepted: this.#accepted,
      turnedAway: this.#turnedAway,
      madeWay,
    };
  }

  /** Accepts cleartext: HTTP/1.1, or HTTP/2 with prior knowledge. */
  acceptCleartext(server: Server): void {
    const { clock, limits } = this.#context;
    this.#accept(server, (socket, { address, isProxy, place }) => {
      const peer = this.#peerOf(isProxy, { address, isSecure: false, certificate: undefined });
      watchFirstBytes(socket, clock, limits.firstByteTimeoutMs, (version, seen) => {
        // Before what may pause it again.
        socket.resume();
        this.#serve(socket, place, peer, version, seen);
      });
    });
  }

  /** Accepts TLS, with the version that was agreed on by ALPN; HTTP/1.1 without it. `tls` shakes hands and does not listen itself. */
  acceptSecure(server: Server, tls: TlsServer): void {
    this.#accept(server, (socket, source) => {
      this.#decided(socket);
      const name = socketName(socket);
      this.#shakingHands.set(name, { ...source, authorities: this.#authorities });
      socket.on("close", () => this.#shakingHands.delete(name));
      tls.emit("connection", socket);
    });
    tls.on("secureConnection", (socket: TLSSocket) => {
      ignoreErrors(socket);
      const handshake = this.#shakingHands.get(socketName(socket));
      // Where certificates are asked for and not required, the handshake lets bad ones pass. Nothing is read of those.
      const isVerified = socket.authorized && handshake?.authorities === this.#authorities;
      if (handshake === undefined || (!isVerified && socket.getPeerX509Certificate() !== undefined)) {
        this.#context.log.debug({ peer: handshake?.address, err: socket.authorizationError }, "a client certificate is not good");
        socket.destroy();
        return;
      }
      const { address, isProxy, place } = handshake;
      const certificate = certificateOf(socket);
      const peer = this.#peerOf(isProxy, { address, isSecure: true, certificate });
      this.#serve(socket, place, peer, socket.alpnProtocol === "h2" ? 2 : 1);
    });
    tls.on("tlsClientError", (error, socket) => {
      this.#context.log.debug({ err: error }, "a TLS handshake failed");
      socket.destroy();
    });
  }

  /** Lets all of them end gracefully. Those that have not said what they speak have as long as idle ones. */
  retire(): void {
    for (const connection of this.#served.keys()) {
      connection.retire();
    }
    for (const socket of this.#undecided.keys()) {
      this.#closeSoon(socket);
    }
  }

  /**
   * The authorities for client certificates have changed. Connections whose certificates the old ones have verified end gracefully; their
   * clients come again, and are verified by the new ones.
   */
  retireCertified(): void {
    this.#authorities += 1;
    const nowMs = this.#context.clock.nowMs();
    for (const [connection, peer] of this.#served) {
      if (peer.ownCertificate !== undefined) {
        peer.ownCertificate.endBy(nowMs);
        connection.retire();
      }
    }
  }

  /** Cuts all of them. */
  cut(): void {
    for (const socket of this.#all) {
      socket.destroy();
    }
  }

  // Hands each connection on once it is known where it comes from. `close` comes once: `once` would keep 150 bytes more for each listener.
  #accept(server: Server, begin: (socket: Socket, source: Source) => void): void {
    const { clock, limits, log, proxies } = this.#context;
    server.on("connection", (socket: Socket) => {
      ignoreErrors(socket);
      const address = socket.remoteAddress ?? "";
      const isProxy = proxies.trusted.has(address);
      this.#accepted += 1;
      const isAnnounced = isProxy && proxies.sendsProxyProtocol;
      // A proxy's connections are its callers'.
      const place = this.#places.take(socket, isProxy ? undefined : address);
      if (place === undefined) {
        this.#turnAway(socket);
        return;
      }
      this.#all.add(socket);
      this.#undecided.set(socket, doNothing);
      socket.on("close", () => {
        this.#all.delete(socket);
        this.#places.closed(place);
        this.#decided(socket);
      });
      if (!isAnnounced) {
        begin(socket, { address, isProxy, place });
        return;
      }
      readProxyHeader(
        socket,
        clock,
        limits.firstByteTimeoutMs,
        (source) => {
          // Where it names nobody, nobody's headers are believed either.
          const isFurtherProxy = source !== undefined && proxies.trusted.has(source);
          if (!isFurtherProxy && !this.#places.setAddress(place, source ?? address)) {
            this.#turnAway(socket);
            return;
          }
          begin(socket, { address: source ?? address, isProxy: isFurtherProxy, place });
        },
        (error) => log.debug({ err: error, peer: address }, "a proxy's connection is closed"),
      );
    });
  }

  #turnAway(socket: Socket): void {
    this.#turnedAway += 1;
    socket.destroy();
  }

  #peerOf(isProxy: boolean, peer: ConstructorParameters<typeof Peer>[0]): Peer {
    return new Peer(peer, isProxy ? this.#context.proxies : undefined);
  }

  #serve(socket: Socket, place: ConnectionPlace, peer: Peer, version: 1 | 2, seen?: Buffer): void {
    this.#decided(socket);
    const connection: Connection =
      version === 2 ? serveHttp2(socket, place, peer, this.#context, seen) : this.#serveHttp1(socket, place, peer, seen);
    this.#served.set(connection, peer);
    place.served = connection;
    this.#open[version] += 1;
    const cancelExpiry = this.#retireAtExpiry(connection, peer);
    socket.on("close", () => {
      this.#served.delete(connection);
      this.#open[version] -= 1;
      cancelExpiry();
    });
    if (this.#context.draining) {
      // It was still shaking hands when the drain began.
      connection.retire();
    }
  }

  // Ends a connection gracefully when its client's certificate expires. A client that has renewed it in time loses no call.
  #retireAtExpiry(connection: Connection, { ownCertificate }: Peer): () => void {
    if (ownCertificate === undefined) {
      return doNothing;
    }
    const { clock } = this.#context;
    let cancel = (): void => {};
    const look = (): void => {
      const leftMs = ownCertificate.validUntilMs - clock.nowMs();
      if (leftMs > 0) {
        cancel = clock.after(Math.min(leftMs, TIMER_MS_MAX), look);
      } else {
        connection.retire();
      }
    };
    look();
    return () => cancel();
  }

  // Closes one that has not said what it speaks when idle connections are closed.
  #closeSoon(socket: Socket): void {
    const cancelTimer = this.#context.clock.after(FAREWELL_MS, () => socket.destroy());
    this.#undecided.set(socket, cancelTimer);
  }

  #decided(socket: Socket): void {
    this.#undecided.get(socket)?.();
    this.#undecided.delete(socket);
  }
}

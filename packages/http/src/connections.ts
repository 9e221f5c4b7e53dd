// The open connections of one port: who is at the other end of each, and which HTTP version it speaks.
import type { EventEmitter } from "node:events";
import type { Server, Socket } from "node:net";
import type { TLSSocket, Server as TlsServer } from "node:tls";
import { certificateOf } from "./client/client-certificate.ts";
import { Peer } from "./client/peer.ts";
import { readProxyHeader } from "./client/proxy-header-reader.ts";
import { type Clock, TIMER_MS_MAX } from "./clock.ts";
import { type ConnectionSlot, ConnectionSlots } from "./connection-slots.ts";
import { createHttp1Server, type ServeHttp1 } from "./h1/h1-server.ts";
import { serveHttp2 } from "./h2/h2-server.ts";
import { PEER_REACTION_MS } from "./linger.ts";
import type { ListenerContext } from "./listener-context.ts";

// Tells HTTP/1.1 from HTTP/2 with prior knowledge by the first bytes of a connection: HTTP/2 begins with `PRI `, which is not an HTTP/1.1
// method. The bytes may arrive one at a time, or never. https://www.rfc-editor.org/rfc/rfc9113#section-3.4
const PREFACE = Buffer.from("PRI ");

/** The HTTP version that a connection speaks. */
type HttpVersion = 1 | 2;

/**
 * Calls `found` with the version and the bytes read so far. The socket is then paused, and `found` must pass those bytes on.
 * Destroys a connection that ends before its version is known, or whose version is not known within `timeoutMs`.
 */
function watchFirstBytes(
  socket: Socket,
  clock: Clock,
  timeoutMs: number,
  found: (version: HttpVersion, seen: Buffer) => void,
): void {
  let seen: Buffer | undefined;
  const destroy = (): void => {
    socket.destroy();
  };
  const stop = (): void => {
    cancelTimer();
    socket.off("data", onData);
    socket.off("end", destroy);
    socket.off("error", destroy);
    socket.off("close", stop);
  };
  const onData = (chunk: Buffer): void => {
    seen = seen === undefined ? chunk : Buffer.concat([seen, chunk]);
    const compared = Math.min(seen.byteLength, PREFACE.byteLength);
    const isPreface = seen.compare(PREFACE, 0, compared, 0, compared) === 0;
    if (isPreface && compared < PREFACE.byteLength) {
      return;
    }
    stop();
    socket.pause();
    found(isPreface ? 2 : 1, seen);
  };
  const cancelTimer = clock.after(timeoutMs, destroy);
  socket.on("data", onData);
  socket.on("end", destroy);
  socket.on("error", destroy);
  socket.on("close", stop);
}

/** Unique among open connections. A TLS socket has the same name as the socket below it. */
const socketName = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;

// Handles the `error` events of sockets by ignoring them. Each is followed by `close`, which the transport acts on. But an `error`
// without a listener ends the process, so every socket gets one as soon as it is accepted.
const ignore = (): void => {};

/** Ignores the errors of this emitter for as long as it lives. */
function ignoreErrors(emitter: EventEmitter): void {
  emitter.on("error", ignore);
}

const doNothing = (): void => {};

interface Connection {
  /** Lets calls in progress finish, then closes the connection. */
  retire(): void;
  /** Closes an idle connection gracefully. */
  closeIdle(): void;
}

/** How many connections are open in each protocol, and how many were accepted, rejected and evicted so far. */
export interface ConnectionCounts {
  readonly unknown: number;
  readonly http1: number;
  readonly http2: number;
  readonly accepted: number;
  /** How many were closed immediately because the address or the listener had reached its limit. */
  readonly rejected: number;
  /** How many were closed while idle to make room for a new one. */
  readonly evicted: number;
}

/** The network address that a connection comes from. */
interface Source {
  readonly address: string;
  /** Whether it is a trusted proxy, which forwards for its clients. */
  readonly isProxy: boolean;
  readonly slot: ConnectionSlot;
}

/** A TLS handshake in progress. */
interface Handshake extends Source {
  /** The version of the client CAs that verify its certificate. */
  readonly authorities: number;
}

export class Connections {
  readonly #context: ListenerContext;
  readonly #all = new Set<Socket>();
  /** Connections that have not sent their first bytes, each with a function that cancels its drain timer. */
  readonly #awaitingFirstBytes = new Map<Socket, () => void>();
  readonly #served = new Map<Connection, Peer>();
  /** TLS handshakes in progress, by socket name. */
  readonly #handshakes = new Map<string, Handshake>();
  readonly #slots: ConnectionSlots;
  readonly #serveHttp1: ServeHttp1;
  readonly #open = { 1: 0, 2: 0 };
  #accepted = 0;
  #rejected = 0;
  // Incremented whenever the client CAs change.
  #authorities = 0;

  constructor(context: ListenerContext) {
    this.#context = context;
    this.#slots = new ConnectionSlots(context.limits);
    this.#serveHttp1 = createHttp1Server(context);
  }

  get size(): number {
    return this.#all.size;
  }

  get counts(): ConnectionCounts {
    const { 1: http1, 2: http2 } = this.#open;
    const { evicted } = this.#slots;
    return {
      unknown: this.#all.size - http1 - http2,
      http1,
      http2,
      accepted: this.#accepted,
      rejected: this.#rejected,
      evicted,
    };
  }

  /** Accepts cleartext connections: HTTP/1.1, or HTTP/2 with prior knowledge. */
  acceptCleartext(server: Server): void {
    const { clock, limits } = this.#context;
    this.#accept(server, (socket, { address, isProxy, slot }) => {
      const peer = this.#peerOf(isProxy, { address, isSecure: false, certificate: undefined });
      watchFirstBytes(socket, clock, limits.firstByteTimeoutMs, (version, seen) => {
        // Must run before anything that may pause the socket again.
        socket.resume();
        this.#serve(socket, slot, peer, version, seen);
      });
    });
  }

  /**
   * Accepts TLS connections, with the HTTP version chosen by ALPN, or HTTP/1.1 without ALPN. `tls` only does handshakes; it does
   * not listen.
   */
  acceptSecure(server: Server, tls: TlsServer): void {
    this.#accept(server, (socket, source) => {
      this.#stopAwaiting(socket);
      const name = socketName(socket);
      this.#handshakes.set(name, { ...source, authorities: this.#authorities });
      socket.on("close", () => this.#handshakes.delete(name));
      tls.emit("connection", socket);
    });
    tls.on("secureConnection", (socket: TLSSocket) => {
      ignoreErrors(socket);
      const handshake = this.#handshakes.get(socketName(socket));
      // If client certificates are optional, the handshake also accepts invalid ones. Such a connection is closed here.
      const isVerified = socket.authorized && handshake?.authorities === this.#authorities;
      if (handshake === undefined || (!isVerified && socket.getPeerX509Certificate() !== undefined)) {
        this.#context.log.debug({ peer: handshake?.address, err: socket.authorizationError }, "a client certificate is not valid");
        socket.destroy();
        return;
      }
      const { address, isProxy, slot } = handshake;
      const certificate = certificateOf(socket);
      const peer = this.#peerOf(isProxy, { address, isSecure: true, certificate });
      this.#serve(socket, slot, peer, socket.alpnProtocol === "h2" ? 2 : 1);
    });
    tls.on("tlsClientError", (error, socket) => {
      this.#context.log.debug({ err: error }, "a TLS handshake failed");
      socket.destroy();
    });
  }

  /** Ends all connections gracefully. Those that have not sent their first bytes get as much time as idle ones. */
  retire(): void {
    for (const connection of this.#served.keys()) {
      connection.retire();
    }
    for (const socket of this.#awaitingFirstBytes.keys()) {
      this.#closeSoon(socket);
    }
  }

  /**
   * Gracefully ends the connections whose client certificates were verified with CAs that have since changed. Clients reconnect and
   * are verified with the new CAs.
   */
  retireCertified(): void {
    this.#authorities += 1;
    const nowMs = this.#context.clock.nowMs();
    for (const [connection, peer] of this.#served) {
      if (peer.ownCertificate !== undefined) {
        peer.ownCertificate.expireBy(nowMs);
        connection.retire();
      }
    }
  }

  disconnect(): void {
    for (const socket of this.#all) {
      socket.destroy();
    }
  }

  // Passes each connection on once its source is known. Listens with `on` although `close` is emitted only once, because `once` takes
  // 150 bytes more per listener.
  #accept(server: Server, begin: (socket: Socket, source: Source) => void): void {
    const { clock, limits, log, proxies } = this.#context;
    server.on("connection", (socket: Socket) => {
      ignoreErrors(socket);
      const address = socket.remoteAddress ?? "";
      const isProxy = proxies.trusted.has(address);
      this.#accepted += 1;
      this.#context.turns.accepted();
      const isAnnounced = isProxy && proxies.sendsProxyProtocol;
      // A proxy's connections count against its clients' addresses, not its own.
      const slot = this.#slots.take(socket, isProxy ? undefined : address);
      if (slot === undefined) {
        this.#reject(socket);
        return;
      }
      this.#all.add(socket);
      this.#awaitingFirstBytes.set(socket, doNothing);
      socket.on("close", () => {
        this.#all.delete(socket);
        this.#slots.closed(slot);
        this.#stopAwaiting(socket);
      });
      if (!isAnnounced) {
        begin(socket, { address, isProxy, slot });
        return;
      }
      readProxyHeader(
        socket,
        clock,
        limits.firstByteTimeoutMs,
        (source) => {
          // If the proxy names no client, its headers are not trusted either.
          const isFurtherProxy = source !== undefined && proxies.trusted.has(source);
          if (!isFurtherProxy && !this.#slots.setAddress(slot, source ?? address)) {
            this.#reject(socket);
            return;
          }
          begin(socket, { address: source ?? address, isProxy: isFurtherProxy, slot });
        },
        (error) => log.debug({ err: error, peer: address }, "a proxy's connection is closed"),
      );
    });
  }

  #reject(socket: Socket): void {
    this.#rejected += 1;
    socket.destroy();
  }

  #peerOf(isProxy: boolean, peer: ConstructorParameters<typeof Peer>[0]): Peer {
    return new Peer(peer, isProxy ? this.#context.proxies : undefined);
  }

  #serve(socket: Socket, slot: ConnectionSlot, peer: Peer, version: 1 | 2, seen?: Buffer): void {
    this.#stopAwaiting(socket);
    const connection: Connection =
      version === 2 ? serveHttp2(socket, slot, peer, this.#context, seen) : this.#serveHttp1(socket, slot, peer, seen);
    this.#served.set(connection, peer);
    slot.served = connection;
    this.#open[version] += 1;
    const cancelExpiry = this.#retireAtExpiry(connection, peer);
    socket.on("close", () => {
      this.#served.delete(connection);
      this.#open[version] -= 1;
      cancelExpiry();
    });
    if (this.#context.draining) {
      // The drain started during its handshake.
      connection.retire();
    }
  }

  // Ends a connection gracefully when its client certificate expires. A client that renews its certificate in time does not lose any calls.
  #retireAtExpiry(connection: Connection, { ownCertificate }: Peer): () => void {
    if (ownCertificate === undefined) {
      return doNothing;
    }
    const { clock } = this.#context;
    let cancel = (): void => {};
    const check = (): void => {
      const leftMs = ownCertificate.validUntilMs - clock.nowMs();
      if (leftMs > 0) {
        cancel = clock.after(Math.min(leftMs, TIMER_MS_MAX), check);
      } else {
        connection.retire();
      }
    };
    check();
    return () => cancel();
  }

  // Closes a connection that has not sent its first bytes after the same time as an idle connection.
  #closeSoon(socket: Socket): void {
    const cancelTimer = this.#context.clock.after(PEER_REACTION_MS, () => socket.destroy());
    this.#awaitingFirstBytes.set(socket, cancelTimer);
  }

  #stopAwaiting(socket: Socket): void {
    this.#awaitingFirstBytes.get(socket)?.();
    this.#awaitingFirstBytes.delete(socket);
  }
}

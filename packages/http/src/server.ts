// Listens on the port: accepts connections, detects their protocol, and passes each request to the handler as an exchange. Whatever a peer
// sends or fails to send, the listener uses no more memory than the limits allow. A drain lets calls in progress finish.
import { type AddressInfo, createServer as createTcpServer, type ServerOpts } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import type { Clock } from "./clock.ts";
import { type ConnectionCounts, Connections } from "./connections.ts";
import { ListenerContext, type ListenerContextOptions } from "./listener-context.ts";
import { type TlsMaterial, tlsOptions } from "./tls.ts";

/** What a server serves, and how. With `tls`, the port speaks only TLS. */
export interface ServerOptions extends ListenerContextOptions {
  readonly tls?: TlsMaterial | undefined;
}

interface ListenOptions {
  /** Lets several threads listen on the same port. The kernel spreads the connections. */
  readonly reusePort?: boolean;
}

/** A server that one thread runs. */
export interface Server {
  /** Starts accepting connections and returns the address. Rejects if it cannot listen there. */
  listen(host: string, port: number, options?: ListenOptions): Promise<{ host: string; port: number }>;
  /**
   * Uses this TLS material for new connections. Connections whose client certificates were verified by other CAs end gracefully.
   * Throws, and keeps the current material, if the new one cannot be used.
   */
  reloadTls(tls: TlsMaterial): void;
  /** How many connections are open, and how many there have been so far. */
  connections(): ConnectionCounts;
  /** How many exchanges have sent their whole response. */
  responded(): number;
  /**
   * Closes the port and keeps serving the open connections. Resolves when the system refuses new ones. From then on, clients of other
   * listeners on this port can be told to reconnect: none of their new connections reaches this listener and is reset.
   */
  closePort(): Promise<void>;
  /** Closes the port, asks peers to disconnect, waits up to `graceMs` for calls in progress, and cuts what is left. */
  drain(graceMs: number): Promise<void>;
  /** Cuts everything at once. */
  close(): Promise<void>;
}

const SOCKETS: ServerOpts = {
  // A peer that has ended its side still gets the pending responses.
  allowHalfOpen: true,
  noDelay: true,
  // Detects a peer that has vanished, even on a silent connection such as a stream.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
  // How much of an unread body Node buffers, beyond the chunk that crosses this mark.
  highWaterMark: 16 * 1024,
};

/**
 * How many connections the system queues until they are accepted, if it allows that many; Linux does since 5.4. With Node's
 * default of 511, many clients reconnecting at once after a restart would have to wait a second before they try again.
 */
const BACKLOG = 4096;

/** Creates a server. Throws if the certificates cannot be used. */
export function createServer({ tls, ...options }: ServerOptions): Server {
  const listenerContext = new ListenerContext(options);
  const { limits, clock, log } = listenerContext;
  const secure = tls === undefined ? undefined : createTlsServer({ ...SOCKETS, ...tlsOptions(tls, limits) });
  const tcp = createTcpServer(SOCKETS);
  const connections = new Connections(listenerContext);
  if (secure === undefined) {
    connections.acceptCleartext(tcp);
  } else {
    connections.acceptSecure(tcp, secure);
  }

  // Resolves when the port and the last connection are closed.
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= new Promise((resolve) => {
      tcp.close(() => resolve());
    });
    return closed;
  };
  let portClosed: Promise<void> | undefined;
  const closePort = (): Promise<void> => {
    portClosed ??= acceptWaiting(connections, clock).then(() => void close());
    return portClosed;
  };

  return {
    listen(host, port, { reusePort = false } = {}) {
      return new Promise((resolve, reject) => {
        tcp.once("error", reject);
        tcp.listen({ host, port, reusePort, backlog: BACKLOG }, () => {
          tcp.off("error", reject);
          tcp.on("error", (error) => log.error({ err: error }, "accepting a connection failed"));
          const address = tcp.address() as AddressInfo;
          resolve({ host: address.address, port: address.port });
        });
      });
    },
    reloadTls(next) {
      secure?.setSecureContext(tlsOptions(next, limits));
      if (next.clientCa !== tls?.clientCa) {
        connections.retireCertified();
      }
      tls = next;
    },
    connections: () => connections.counts,
    responded: () => listenerContext.responded,
    closePort,
    async drain(graceMs) {
      let isTimeUp = false;
      const cancelTimer = clock.after(graceMs, () => {
        isTimeUp = true;
        log.warn(
          { calls: listenerContext.inFlight, connections: connections.size },
          "the drain timed out; cutting the remaining connections",
        );
        connections.disconnect();
      });
      await closePort();
      listenerContext.draining = true;
      connections.retire();
      if (isTimeUp) {
        connections.disconnect();
      }
      await close();
      cancelTimer();
    },
    async close() {
      const allClosed = close();
      connections.disconnect();
      await allClosed;
    },
  };
}

// The system queues a connection until the event loop accepts it. If the port closes first, the connection is reset along with the request
// that it may carry. Each turn of the loop accepts one. So the port is closed right after a short turn that accepted none, when hardly any
// connection can have arrived since. If no turn is short, the port is closed anyway. See docs/decisions.md.
const TURNS_MAX = 1000;
const LONG_TURNS_MAX = 30;
const SHORT_TURN_MS = 0.2;

async function acceptWaiting(connections: Pick<Connections, "counts">, clock: Pick<Clock, "monotonicMs">): Promise<void> {
  // Waits for the end of this turn.
  await nextTurn();
  for (let turns = 0, longTurns = 0; turns < TURNS_MAX && longTurns < LONG_TURNS_MAX; turns += 1) {
    const before = connections.counts.accepted;
    const startedMs = clock.monotonicMs();
    await nextTurn();
    if (connections.counts.accepted === before) {
      if (clock.monotonicMs() - startedMs < SHORT_TURN_MS) {
        return;
      }
      longTurns += 1;
    }
  }
}

// The one port. It accepts connections, tells what each speaks, and makes every request an exchange for the handle. It promises that
// nothing a peer sends or leaves out holds more than the limits allow, and that a drain lets calls under way end.
import { type AddressInfo, createServer, type ServerOpts } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import type { Clock } from "../runtime/clock.ts";
import { type ConnectionCounts, Connections } from "./connections.ts";
import { ListenerContext, type ListenerContextOptions } from "./listener-context.ts";
import { type TlsMaterial, tlsOptions } from "./tls.ts";

/** What a listener is made from. With `tls`, its port speaks TLS and nothing else. */
export interface ListenerOptions extends ListenerContextOptions {
  readonly tls?: TlsMaterial | undefined;
}

export type { ConnectionCounts } from "./connections.ts";

/** Where to listen. */
interface ListenOptions {
  /** Lets several threads listen on the same port; the kernel spreads the connections. */
  readonly reusePort?: boolean;
}

/** One listening port. */
export interface Listener {
  /** Begins to accept connections, and returns the address. Rejects when the address cannot be had. */
  listen(host: string, port: number, options?: ListenOptions): Promise<{ host: string; port: number }>;
  /**
   * Uses this for connections from now on. Connections whose client certificates other authorities have verified end gracefully. Throws, and
   * keeps what it has, when it cannot be used.
   */
  reloadTls(tls: TlsMaterial): void;
  /** The open connections, and those that came so far. */
  connections(): ConnectionCounts;
  /** How many exchanges have been answered whole. */
  answered(): number;
  /**
   * Closes the port, and answers on the connections that there are as before. Resolves when the system refuses new ones. A caller that is told
   * to come again meanwhile, by another listener of this port, finds none that would reset its new connection.
   */
  closePort(): Promise<void>;
  /** Closes the port, then tells peers so, waits for calls under way, for at most `graceMs`, and cuts what is left. */
  drain(graceMs: number): Promise<void>;
  /** Cuts everything. */
  close(): Promise<void>;
}

const SOCKETS: ServerOpts = {
  // A peer that has sent all it has to say still gets what waits to be sent.
  allowHalfOpen: true,
  noDelay: true,
  // A peer that has gone without a word is found out even where nothing is said for long, as on a stream.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
  // How much of a body that nobody reads Node takes from the system, beside the chunk that brings it over that.
  highWaterMark: 16 * 1024,
};

/**
 * How many connections the system holds until they are accepted, if it allows as many: Linux does since 5.4. With Node's 511, those that come at once
 * after a restart wait for a second before they try again: 436 of 3,000 in a trial.
 */
const BACKLOG = 4096;

/** Makes a listener. Throws when the certificates cannot be used. */
export function createListener({ tls, ...options }: ListenerOptions): Listener {
  const listenerContext = new ListenerContext(options);
  const { limits, clock, log } = listenerContext;
  const secure = tls === undefined ? undefined : createTlsServer({ ...SOCKETS, ...tlsOptions(tls, limits) });
  const server = createServer(SOCKETS);
  const connections = new Connections(listenerContext);
  if (secure === undefined) {
    connections.acceptCleartext(server);
  } else {
    connections.acceptSecure(server, secure);
  }

  // Resolves when the port is closed and the last connection too.
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= new Promise((resolve) => {
      server.close(() => resolve());
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
        server.once("error", reject);
        server.listen({ host, port, reusePort, backlog: BACKLOG }, () => {
          server.off("error", reject);
          server.on("error", (error) => log.error({ err: error }, "accepting a connection failed"));
          const address = server.address() as AddressInfo;
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
    answered: () => listenerContext.answered,
    closePort,
    async drain(graceMs) {
      let isTimeUp = false;
      const cancelTimer = clock.after(graceMs, () => {
        isTimeUp = true;
        log.warn(
          { calls: listenerContext.inFlight, connections: connections.size },
          "the drain's time is up, cutting what is left",
        );
        connections.cut();
      });
      await closePort();
      listenerContext.draining = true;
      connections.retire();
      if (isTimeUp) {
        connections.cut();
      }
      await close();
      cancelTimer();
    },
    async close() {
      const allClosed = close();
      connections.cut();
      await allClosed;
    },
  };
}

// A connection waits in the system until the event loop comes to accept it, and is reset when the port is closed meanwhile, with the request that
// it may have brought. Each turn of the loop accepts one. So the port is closed right after a turn that has found none and was short: hardly
// anything can have come in it after it had looked. Under load a turn may take milliseconds, and lost 19 calls in 24 closed ports. Where no turn
// is short, the port is closed all the same.
const TURNS_MAX = 1000;
const LONG_TURNS_MAX = 30;
const SHORT_TURN_MS = 0.2;

async function acceptWaiting(connections: Pick<Connections, "counts">, clock: Pick<Clock, "monotonicMs">): Promise<void> {
  // To the end of this turn.
  await nextTurn();
  for (let turns = 0, longTurns = 0; turns < TURNS_MAX && longTurns < LONG_TURNS_MAX; turns += 1) {
    const before = connections.counts.accepted;
    const beganMs = clock.monotonicMs();
    await nextTurn();
    if (connections.counts.accepted === before) {
      if (clock.monotonicMs() - beganMs < SHORT_TURN_MS) {
        return;
      }
      longTurns += 1;
    }
  }
}

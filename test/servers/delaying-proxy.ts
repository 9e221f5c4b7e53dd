// Stands between a client and a server that are far from each other: what either sends arrives later, by half of a round trip. It can also
// keep them from each other.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The proxy. */
export interface DelayingProxy {
  readonly port: number;
  /** How long a round trip takes more than without the proxy. */
  roundTripMs: number;
  /** Breaks all connections, and each new one, until it is mended. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Starts it on a free port. */
export async function startDelayingProxy(upstreamPort: number, roundTripMs = 0): Promise<DelayingProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(upstreamPort, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      // In their order, also where the way becomes shorter meanwhile.
      let last = Promise.resolve();
      const later = (run: () => void): void => {
        const arrived = new Promise<void>((resolve) => void setTimeout(resolve, proxy.roundTripMs / 2));
        last = last.then(() => arrived).then(run);
      };
      from.on("data", (chunk: Buffer) => later(() => void (to.writable && to.write(chunk))));
      from.on("end", () => later(() => void to.end()));
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        later(() => void to.destroy());
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const destroyAll = (): void => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  const proxy: DelayingProxy = {
    port: (server.address() as AddressInfo).port,
    roundTripMs,
    cut() {
      isCut = true;
      destroyAll();
    },
    mend() {
      isCut = false;
    },
    async close() {
      destroyAll();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}

// Stands between a client and a server that are far from each other: what either sends arrives later, by half of a round trip.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The proxy. */
export interface DelayingProxy {
  readonly port: number;
  /** How long a round trip takes more than without the proxy. */
  roundTripMs: number;
  close(): Promise<void>;
}

/** Starts it on a free port. */
export async function startDelayingProxy(upstreamPort: number, roundTripMs: number): Promise<DelayingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(upstreamPort, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      const later = (run: () => void): void => void setTimeout(run, proxy.roundTripMs / 2);
      from.on("data", (chunk: Buffer) => later(() => to.writable && to.write(chunk)));
      from.on("end", () => later(() => to.end()));
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        later(() => to.destroy());
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: DelayingProxy = {
    port: (server.address() as AddressInfo).port,
    roundTripMs,
    async close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}

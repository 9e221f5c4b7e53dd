// A proxy between the nodes and PostgreSQL that cuts a connection in the middle of a lease, which is one statement: either before the
// database gets it, or after it has committed and before the node gets the response.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** When a connection is cut. */
export type CutTime = "before the commit" | "after the commit";

/** The proxy. */
export interface CuttingProxy {
  readonly port: number;
  /** Cuts the connection of the next lease that no earlier call has claimed. Returns whether there was one within the given time. */
  cutLease(moment: CutTime, withinMs: number): Promise<boolean>;
  close(): Promise<void>;
}

interface Wanted {
  readonly moment: CutTime;
  readonly done: (wasCut: boolean) => void;
}

/** Starts it on a free port. */
export async function startCuttingProxy(upstreamPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  // Two faults of a run may each want one at the same time.
  const wanted = new Set<Wanted>();
  const server = createServer((client) => {
    const upstream = connect(upstreamPort, "127.0.0.1");
    let isCut = false;
    const cut = (done: Wanted["done"]): void => {
      client.destroy();
      upstream.destroy();
      done(true);
    };
    let cutAtResponse: Wanted["done"] | undefined;
    client.on("data", (chunk: Buffer) => {
      if (chunk.includes('insert into "month_leases"')) {
        const [order] = wanted;
        if (order !== undefined) {
          wanted.delete(order);
          isCut = true;
          if (order.moment === "before the commit") {
            cut(order.done);
            return;
          }
          cutAtResponse = order.done;
        }
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk: Buffer) => {
      if (cutAtResponse !== undefined) {
        cut(cutAtResponse);
      } else if (!isCut) {
        client.write(chunk);
      }
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on("error", () => {});
      one.on("end", () => other.end());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
        // The database was gone before it could respond: also a cut, with an unknown outcome.
        cutAtResponse?.(true);
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    cutLease(moment, withinMs) {
      return new Promise((resolve) => {
        const order: Wanted = { moment, done: resolve };
        wanted.add(order);
        setTimeout(() => {
          // If the order has been claimed, its connection is being cut.
          if (wanted.delete(order)) {
            resolve(false);
          }
        }, withinMs);
      });
    },
    async close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
      await once(server, "close");
    },
  };
}

// One address in front of several servers, as a name, a floating IP or a Kubernetes service is: new connections lead to the current server,
// and old ones stay where they are.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface TcpSwitch {
  readonly url: string;
  /** Makes new connections lead to the server at this URL. */
  leadTo(url: string): void;
  close(): Promise<void>;
}

/** Starts with the server at this URL. */
export async function startSwitch(first: string): Promise<TcpSwitch> {
  let { hostname: host, port } = new URL(first);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const target = connect(Number(port), host);
    for (const [one, other] of [
      [socket, target],
      [target, socket],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => sockets.delete(one));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(url) {
      ({ hostname: host, port } = new URL(url));
    },
    close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

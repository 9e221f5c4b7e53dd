// The routes between callers and servers.
import { type Balancer, startBalancer } from "./balancer.ts";
import type { Route } from "./caller.ts";
import { HOSTS, type Nodes } from "./nodes.ts";

/** Where callers find the servers while the route is open. */
interface OpenWay extends Route {
  close(): Promise<void>;
}

/** One route. */
export interface Way {
  readonly name: string;
  open(nodes: Nodes): Promise<OpenWay>;
}

const through = (name: string, configuration: "nginx.conf" | "tcp.conf"): Way => ({
  name,
  async open({ port, key }) {
    const [first, second] = HOSTS;
    const { close, ...ports }: Balancer = await startBalancer({ configuration, nodes: [`${first}:${port}`, `${second}:${port}`] });
    return { hosts: ["127.0.0.1"], ...ports, key, close };
  },
});

/** All routes. */
export const ROUTES: readonly Way[] = [
  { name: "both addresses", open: async ({ port, key }) => ({ hosts: HOSTS, port, http1Port: port, key, close: async () => {} }) },
  through("connections balanced by nginx", "tcp.conf"),
  through("calls balanced by nginx", "nginx.conf"),
];

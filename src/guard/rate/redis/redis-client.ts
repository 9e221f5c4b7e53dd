// The library's clients for a single Redis, for a cluster, and for a primary that Sentinels watch, as one interface. In a cluster and
// behind Sentinels, the library finds the right server, also after a failover.
import { createClient, createCluster, createSentinel } from "redis";
import type { RedisAddress } from "../../../config/redis-address.ts";

const CONNECT_TIMEOUT_MS = 2000;
// How many commands may wait for a response.
const COMMANDS_MAX = 20_000;
// A failed command is not retried while the servers are being found: it would be too late.
const REDISCOVERIES_MAX = 1;
const SCAN_MS = 1000;

export interface RedisClient {
  connect(): Promise<unknown>;
  /** Sends a command for this key. Rejects with Redis's own error, or if the connection is down or breaks. */
  send(key: string, command: string[]): Promise<unknown>;
  /** Sends a command to each server that keeps keys. */
  sendToAll(command: string[]): Promise<readonly unknown[]>;
  /** Calls `run` when a connection is lost. */
  onLost(run: (error: unknown) => void): void;
  destroy(): void;
}

// RedisConnection reconnects, because its clock is passed in. Every Redis and Valkey speaks version 2 of the protocol.
const COMMON = { disableOfflineQueue: true, commandsQueueMaxLength: COMMANDS_MAX, disableClientInfo: true } as const;
const SOCKET = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false } as const;

/** Creates a client. `commandTimeoutMs`: how long a command may take; unlimited by default. */
export function createRedisClient(address: RedisAddress, commandTimeoutMs?: number): RedisClient {
  const { isTls, username, password } = address;
  const commandOptions = commandTimeoutMs === undefined ? undefined : { timeout: commandTimeoutMs };
  const options = {
    ...COMMON,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    maintNotifications: "disabled" as const,
    socket: isTls ? { ...SOCKET, tls: true as const } : SOCKET,
  };
  switch (address.kind) {
    case "server":
      return serverClient(address, { ...options, ...(commandOptions && { commandOptions }) });
    case "cluster":
      return clusterClient(address, options, commandOptions);
    case "sentinel":
      return sentinelClient(address, options, commandOptions);
  }
}

type NodeOptions = Omit<NonNullable<Parameters<typeof createClient>[0]>, "socket"> & {
  socket: typeof SOCKET | (typeof SOCKET & { readonly tls: true });
};

type CommandOptions = { readonly timeout: number } | undefined;

function serverClient({ hosts, database }: RedisAddress, options: NodeOptions): RedisClient {
  const [server] = hosts;
  const client = createClient({ ...options, RESP: 2, database, socket: { ...options.socket, ...server } });
  return {
    connect: () => client.connect(),
    send: (_, command) => client.sendCommand(command),
    sendToAll: async (command) => [await client.sendCommand(command)],
    onLost: (run) => void client.on("error", run),
    destroy: () => client.destroy(),
  };
}

function clusterClient({ hosts }: RedisAddress, options: NodeOptions, commandOptions: CommandOptions): RedisClient {
  const cluster = createCluster({
    RESP: 2,
    rootNodes: hosts.map((host) => ({ socket: { ...options.socket, ...host } })),
    defaults: options as object,
    // Connects to each server only when it is needed, so that the others can be used while one is down.
    minimizeConnections: true,
    ...(commandOptions && { commandOptions }),
  });
  // One of several servers has failed. The commands sent to it reject with the error.
  cluster.on("error", () => {});
  return {
    connect: () => cluster.connect(),
    send: (key, command) => cluster.sendCommand(key, false, command),
    sendToAll: (command) =>
      Promise.all(cluster.masters.map(async (master) => (await cluster.nodeClient(master)).sendCommand(command, commandOptions))),
    onLost: () => {},
    destroy: () => cluster.destroy(),
  };
}

function sentinelClient(address: RedisAddress, options: NodeOptions, commandOptions: CommandOptions): RedisClient {
  const { sentinelUsername: username, sentinelPassword: password } = address;
  const sentinel = createSentinel({
    RESP: 2,
    name: address.primary,
    sentinelRootNodes: address.hosts.map((host) => ({ ...host })),
    nodeClientOptions: options as object,
    sentinelClientOptions: {
      disableClientInfo: true,
      socket: options.socket,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
    } as object,
    maxCommandRediscovers: REDISCOVERIES_MAX,
    scanInterval: SCAN_MS,
    ...(commandOptions && { commandOptions }),
  });
  // The commands that could not be sent reject with the error.
  sentinel.on("error", () => {});
  return {
    connect: () => sentinel.connect(),
    send: (_, command) => sentinel.sendCommand(false, command),
    sendToAll: async (command) => [await sentinel.sendCommand(false, command)],
    onLost: () => {},
    destroy: () => void sentinel.destroy().catch(() => {}),
  };
}

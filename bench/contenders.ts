// The servers under comparison, and the command that starts each.
import { GO_CONTENDERS } from "./go-contenders.ts";

/** The name of a server of the bench. */
export type ContenderName =
  | "quintet"
  | "quintet, guard off"
  | "connect-node"
  | "grpc-js"
  | "grpc-go"
  | "connect-go"
  | "grpc-gateway"
  | "fastify with key and rate limit"
  | "fastify"
  | "node:http"
  | "undici"
  | "node:http2";

const node = (...args: readonly string[]): readonly string[] => [process.execPath, ...args];

/** The command and arguments of each server. */
export const COMMANDS: ReadonlyMap<ContenderName, readonly string[]> = new Map([
  ["quintet", node("bench/servers/quintet.ts")],
  ["quintet, guard off", node("bench/servers/quintet-guard-off.ts")],
  ["connect-node", node("bench/servers/connect-node.ts")],
  ["grpc-js", node("bench/servers/grpc-js.ts")],
  ["fastify with key and rate limit", node("bench/servers/rest-peers.ts", "fastify-guarded")],
  ["fastify", node("bench/servers/rest-peers.ts", "fastify")],
  ["undici", node("bench/servers/rest-peers.ts", "undici")],
  ["node:http", node("bench/servers/rest-peers.ts", "bare")],
  ["node:http2", node("bench/servers/bare-http2.ts")],
  ...GO_CONTENDERS.map(([name, path]) => [name, [path]] as const),
]);

// The workloads: each is a kind of call, with the contenders that support it. The first contender is ours.
import type { ContenderName } from "./contenders.ts";

/** One workload. */
export interface Workload {
  readonly name: string;
  readonly protocol: "grpc" | "grpc-web" | "connect" | "connect-json" | "rest";
  readonly isSecure?: boolean;
  /** Whether one request is sent again and again: one key, one roll, and the same headers. */
  readonly isRepeated?: boolean;
  /** For REST, the path to call instead of scores, and what each response contains. */
  readonly path?: string;
  readonly holds?: string;
  /** How many searches, each with a different page, order or filters, are made of the path. */
  readonly searches?: number;
  /** Further environment variables of Quintet, each as `NAME=VALUE`. */
  readonly variables?: readonly string[];
  /** The connections, and the calls at a time on each. */
  readonly connections: number;
  readonly streams: number;
  readonly contenders: readonly ContenderName[];
  /** Whether it is also measured how long calls take at half load. */
  readonly hasHalfLoad?: boolean;
  /** The most CPU time that our call may take, as a multiple of a contender's. */
  readonly aims: Partial<Record<ContenderName, number>>;
}

// Next to each other, so that both run in the same minute of a round.
const ours: readonly ContenderName[] = ["quintet", "quintet, guard off"];
const GRPC_PEERS: readonly ContenderName[] = ["quintet", "grpc-go", "grpc-js"];
const REST_PEERS: readonly ContenderName[] = ["quintet", "fastify with key and rate limit", "node:http"];
const CONNECT_PEERS: readonly ContenderName[] = ["quintet", "connect-go", "connect-node"];

const grpc = { protocol: "grpc", connections: 8, streams: 16, aims: { "grpc-go": 0.5, "grpc-js": 0.45 } } as const;
const rest = {
  protocol: "rest",
  connections: 32,
  streams: 1,
  aims: { "fastify with key and rate limit": 0.75, "node:http": 1 },
} as const;
/** The part of the path that all the different searches share. */
const SEARCH = { path: "/radio/v1/search?limit=20", holds: '"success":true' } as const;
const search = { ...rest, contenders: REST_PEERS, aims: { "fastify with key and rate limit": 0.8 } } as const;

/** Different calls, like those of real callers. */
const DIFFERING: readonly Workload[] = [
  { ...grpc, name: "gRPC score", contenders: [...ours, "grpc-go", "grpc-js", "connect-go", "node:http2"], hasHalfLoad: true },
  { ...grpc, name: "gRPC score, one stream a connection", connections: 32, streams: 1, contenders: GRPC_PEERS, hasHalfLoad: true },
  { ...grpc, name: "gRPC score, a thousand connections", connections: 1000, streams: 1, contenders: GRPC_PEERS },
  { ...grpc, name: "gRPC score over TLS", isSecure: true, contenders: GRPC_PEERS, hasHalfLoad: true },
  { ...grpc, name: "gRPC-Web score", protocol: "grpc-web", contenders: CONNECT_PEERS, aims: {} },
  { ...grpc, name: "Connect score, binary", protocol: "connect", contenders: CONNECT_PEERS, aims: {} },
  { ...grpc, name: "Connect score, JSON", protocol: "connect-json", contenders: CONNECT_PEERS, aims: {} },
  {
    ...rest,
    name: "REST score",
    contenders: [...ours, "grpc-gateway", "fastify with key and rate limit", "fastify", "node:http"],
    hasHalfLoad: true,
  },
  { ...rest, name: "REST score, a thousand connections", connections: 1000, contenders: REST_PEERS },
  { ...rest, name: "REST score over TLS", isSecure: true, contenders: REST_PEERS, hasHalfLoad: true },
  { ...search, name: "REST search of 20", path: "/radio/v1/search?order=votes&reverse=true&limit=20", holds: '"count":20' },
  { ...search, name: "REST search of 100", path: "/radio/v1/search?order=votes&reverse=true&limit=100", holds: '"count":100' },
  { ...search, ...SEARCH, name: "REST searches that differ, from the cache", contenders: ["quintet"], searches: 200, aims: {} },
  {
    ...search,
    ...SEARCH,
    name: "REST searches that differ, from the directory",
    contenders: ["quintet", "undici"],
    searches: 200_000,
    variables: ["QUINTET_RADIO_FRESH_MS=0"],
    aims: { undici: 1.3 },
  },
];

/** One request sent again and again, which is the best case for the transport's caches. */
const REPEATED: readonly Workload[] = [
  { ...grpc, name: "gRPC score, repeated", contenders: GRPC_PEERS },
  { ...grpc, name: "Connect score, binary, repeated", protocol: "connect", contenders: ["quintet", "connect-go"], aims: {} },
  { ...rest, name: "REST score, repeated", contenders: REST_PEERS },
].map((workload) => ({ ...workload, isRepeated: true }) as Workload);

/** All workloads. */
export const WORKLOADS: readonly Workload[] = [...DIFFERING, ...REPEATED];

// What is measured: each workload is one request, and the contenders that answer it. The first contender is ours.
import { create, toBinary } from "@bufbuild/protobuf";
import { ScoreRequestSchema } from "../gen/quintet/farkle/v1/farkle_pb.js";
import { writeEnvelope } from "../src/gateway/rpc/envelope.ts";
import type { ContenderName } from "./contenders.ts";

/** One workload. */
export interface Workload {
  readonly name: string;
  readonly http: 1 | 2;
  readonly isSecure?: boolean;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with POST where it is given. */
  readonly body?: Uint8Array;
  /** The connections, and the calls at a time on each. */
  readonly connections: number;
  readonly streams: number;
  readonly contenders: readonly ContenderName[];
  /** Text that a right answer holds. */
  readonly holds: string;
  /** Of our CPU time a call the most that it may be, as a multiple of a contender's. */
  readonly aims: Partial<Record<ContenderName, number>>;
}

const DICE = [1, 1, 1, 5, 5, 5];
const RPC = "/quintet.farkle.v1.FarkleService/Score";
const message = toBinary(ScoreRequestSchema, create(ScoreRequestSchema, { dice: DICE }));
const json = new TextEncoder().encode(JSON.stringify({ dice: DICE }));
const framed = writeEnvelope(message, false);
// The points in the breakdown, which no contender may leave out: 2500 as a varint behind its tag, the same bytes in every binary answer.
const BINARY_POINTS = "\x18\xc4\x13";
const JSON_POINTS = '"points":2500';

// Side by side, so that the two of a round have the same minute.
const ours: readonly ContenderName[] = ["quintet", "quintet, guard off"];
const GRPC_PEERS: readonly ContenderName[] = ["quintet", "grpc-go", "grpc-js"];
const REST_PEERS: readonly ContenderName[] = ["quintet", "grpc-gateway", "fastify with key and rate limit"];
const restPeers: readonly ContenderName[] = ["fastify with key and rate limit", "fastify", "node:http"];

const grpc = {
  http: 2,
  path: RPC,
  headers: { "content-type": "application/grpc+proto", te: "trailers" },
  body: framed,
  connections: 8,
  streams: 16,
  holds: BINARY_POINTS,
  aims: { "grpc-go": 1, "grpc-js": 0.45 },
} as const;
const rest = { http: 1, headers: {}, connections: 32, streams: 1, holds: JSON_POINTS } as const;
const score = {
  ...rest,
  path: `/farkle/v1/score?dice=${DICE.join()}`,
  aims: { "fastify with key and rate limit": 0.75, "node:http": 1 },
} as const;

/** All of them. */
export const WORKLOADS: readonly Workload[] = [
  { ...grpc, name: "gRPC score", contenders: [...ours, "grpc-go", "grpc-js", "connect-go", "connect-node", "node:http2"] },
  {
    ...grpc,
    name: "gRPC-Web score",
    headers: { "content-type": "application/grpc-web+proto" },
    contenders: ["quintet", "connect-go", "connect-node"],
    aims: {},
  },
  {
    ...grpc,
    name: "Connect score, binary",
    headers: { "content-type": "application/proto" },
    body: message,
    contenders: ["quintet", "connect-go", "connect-node"],
    aims: {},
  },
  {
    ...grpc,
    name: "Connect score, JSON",
    headers: { "content-type": "application/json" },
    body: json,
    contenders: ["quintet", "connect-go", "connect-node"],
    holds: JSON_POINTS,
    aims: {},
  },
  { ...score, name: "REST score", contenders: [...ours, "grpc-gateway", ...restPeers] },
  {
    ...rest,
    name: "REST search of 20",
    path: "/radio/v1/search?order=votes&reverse=true&limit=20",
    contenders: ["quintet", ...restPeers],
    holds: '"count":20',
    aims: { fastify: 0.8 },
  },
  {
    ...rest,
    name: "REST search of 100",
    path: "/radio/v1/search?order=votes&reverse=true&limit=100",
    contenders: ["quintet", ...restPeers],
    holds: '"count":100',
    aims: { fastify: 0.8 },
  },
  { ...grpc, name: "gRPC score, one stream a connection", connections: 32, streams: 1, contenders: GRPC_PEERS },
  { ...grpc, name: "gRPC score, a thousand connections", connections: 1000, streams: 1, contenders: ["quintet", "grpc-go"] },
  { ...grpc, name: "gRPC score over TLS", isSecure: true, contenders: GRPC_PEERS },
  { ...score, name: "REST score, a thousand connections", connections: 1000, contenders: REST_PEERS },
  { ...score, name: "REST score over TLS", isSecure: true, contenders: REST_PEERS },
];

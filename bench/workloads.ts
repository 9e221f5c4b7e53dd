// What is measured: each workload is one request, and the contenders that answer it. The first contender is ours.
import { create, toBinary } from "@bufbuild/protobuf";
import { ScoreRequestSchema } from "../gen/quintet/farkle/v1/farkle_pb.js";
import { writeEnvelope } from "../src/gateway/rpc/envelope.ts";

/** A server of the bench, by a name of its own. */
export type ContenderName =
  | "quintet"
  | "quintet, guard off"
  | "connect-node"
  | "grpc-js"
  | "fastify with key and rate limit"
  | "fastify"
  | "node:http"
  | "node:http2";

/** How each contender is started. */
export const CONTENDERS: Readonly<Record<ContenderName, readonly string[]>> = {
  quintet: ["bench/servers/quintet.ts"],
  "quintet, guard off": ["bench/servers/quintet-guard-off.ts"],
  "connect-node": ["bench/servers/connect-node.ts"],
  "grpc-js": ["bench/servers/grpc-js.ts"],
  "fastify with key and rate limit": ["bench/servers/rest-peers.ts", "fastify-guarded"],
  fastify: ["bench/servers/rest-peers.ts", "fastify"],
  "node:http": ["bench/servers/rest-peers.ts", "bare"],
  "node:http2": ["bench/servers/bare-http2.ts"],
};

/** One workload. */
export interface Workload {
  readonly name: string;
  readonly http: 1 | 2;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with POST where it is given. */
  readonly body?: Uint8Array;
  readonly contenders: readonly ContenderName[];
  /** Text that a right answer holds. */
  readonly holds: string;
  /** Least ratio of ours to a contender. */
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
const restPeers: readonly ContenderName[] = ["fastify with key and rate limit", "fastify", "node:http"];
const restAims = { "fastify with key and rate limit": 1.4, "node:http": 0.75 } as const;

/** All of them. */
export const WORKLOADS: readonly Workload[] = [
  {
    name: "gRPC score",
    http: 2,
    path: RPC,
    headers: { "content-type": "application/grpc+proto", te: "trailers" },
    body: framed,
    contenders: [...ours, "grpc-js", "connect-node", "node:http2"],
    holds: BINARY_POINTS,
    aims: { "grpc-js": 1.1, "connect-node": 6 },
  },
  {
    name: "gRPC-Web score",
    http: 2,
    path: RPC,
    headers: { "content-type": "application/grpc-web+proto" },
    body: framed,
    contenders: ["quintet", "connect-node"],
    holds: BINARY_POINTS,
    aims: { "connect-node": 5 },
  },
  {
    name: "Connect score, binary",
    http: 2,
    path: RPC,
    headers: { "content-type": "application/proto" },
    body: message,
    contenders: ["quintet", "connect-node"],
    holds: BINARY_POINTS,
    aims: { "connect-node": 5 },
  },
  {
    name: "Connect score, JSON",
    http: 2,
    path: RPC,
    headers: { "content-type": "application/json" },
    body: json,
    contenders: ["quintet", "connect-node"],
    holds: JSON_POINTS,
    aims: { "connect-node": 5 },
  },
  {
    name: "REST score",
    http: 1,
    path: `/farkle/v1/score?dice=${DICE.join()}`,
    headers: {},
    contenders: [...ours, ...restPeers],
    holds: JSON_POINTS,
    aims: restAims,
  },
  {
    name: "REST search of 20",
    http: 1,
    path: "/radio/v1/search?order=votes&reverse=true&limit=20",
    headers: {},
    contenders: ["quintet", ...restPeers],
    holds: '"count":20',
    aims: {},
  },
  {
    name: "REST search of 100",
    http: 1,
    path: "/radio/v1/search?order=votes&reverse=true&limit=100",
    headers: {},
    contenders: ["quintet", ...restPeers],
    holds: '"count":100',
    aims: { fastify: 1 },
  },
];

// Bare node:http2, the floor under gRPC: the stream API, the whole body read, one fixed answer of the same size with trailers.
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { Combination, ScoreResponseSchema } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { writeEnvelope } from "../../src/gateway/rpc/envelope.ts";
import { ready } from "../ready.ts";

const breakdown = [{ combination: Combination.TWO_TRIPLETS, dice: [1, 1, 1, 5, 5, 5], points: 2500 }];
const answer = writeEnvelope(
  toBinary(ScoreResponseSchema, create(ScoreResponseSchema, { score: 2500, hotDice: true, breakdown })),
  false,
);
const server = createServer();
server.on("stream", (stream: ServerHttp2Stream) => {
  stream.on("data", () => {});
  stream.on("end", () => {
    stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(answer);
  });
});
server.listen(0, "127.0.0.1", () => ready({ port: (server.address() as AddressInfo).port }));

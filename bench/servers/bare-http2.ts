// Bare node:http2, the lower bound for gRPC: the stream API, the whole body read, the same scoring, messages of protobuf-es, trailers.
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ScoreRequestSchema, ScoreResponseSchema } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { writeEnvelope } from "../../src/gateway/rpc/envelope.ts";
import { scoreRoll } from "../../src/services/farkle/score.ts";
import { ready } from "../ready.ts";

/** A message follows its flag and length. */
const ENVELOPE_BYTES = 5;

function score(body: Buffer): Uint8Array {
  const { dice } = fromBinary(ScoreRequestSchema, body.subarray(ENVELOPE_BYTES));
  const { points, combinations, deadDice } = scoreRoll(dice);
  const breakdown = combinations.map((scored) => ({ ...scored, dice: [...scored.dice] }));
  const response = { score: points, farkle: points === 0, hotDice: deadDice.length === 0, breakdown, deadDice: [...deadDice] };
  return writeEnvelope(toBinary(ScoreResponseSchema, create(ScoreResponseSchema, response)), false);
}

const server = createServer();
server.on("stream", (stream: ServerHttp2Stream) => {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("end", () => {
    stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(score(Buffer.concat(chunks)));
  });
});
server.listen(0, "127.0.0.1", () => ready({ port: (server.address() as AddressInfo).port }));

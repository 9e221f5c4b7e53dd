// @grpc/grpc-js with its default settings, and with the same messages and the same scoring.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import {
  type ScoreRequest,
  ScoreRequestSchema,
  type ScoreResponse,
  ScoreResponseSchema,
} from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { scoreRoll } from "../../src/services/farkle/score.ts";
import { ready } from "../ready.ts";
import { tlsContents } from "../server-options.ts";

const server = new Server();
server.addService(
  {
    score: {
      path: "/quintet.farkle.v1.FarkleService/Score",
      requestStream: false,
      responseStream: false,
      requestSerialize: (message: ScoreRequest) => Buffer.from(toBinary(ScoreRequestSchema, message)),
      requestDeserialize: (bytes: Buffer) => fromBinary(ScoreRequestSchema, bytes),
      responseSerialize: (message: ScoreResponse) => Buffer.from(toBinary(ScoreResponseSchema, message)),
      responseDeserialize: (bytes: Buffer) => fromBinary(ScoreResponseSchema, bytes),
    },
  },
  {
    score(call: ServerUnaryCall<ScoreRequest, ScoreResponse>, callback: sendUnaryData<ScoreResponse>) {
      const { points, combinations, deadDice } = scoreRoll(call.request.dice);
      const breakdown = combinations.map((scored) => ({ ...scored, dice: [...scored.dice] }));
      const response = { score: points, farkle: points === 0, hotDice: deadDice.length === 0, breakdown, deadDice: [...deadDice] };
      callback(null, create(ScoreResponseSchema, response));
    },
  },
);
const credentials = tlsContents
  ? ServerCredentials.createSsl(null, [{ cert_chain: tlsContents.cert, private_key: tlsContents.key }])
  : ServerCredentials.createInsecure();
server.bindAsync("127.0.0.1:0", credentials, (error, port) => {
  if (error !== null) {
    throw error;
  }
  ready({ port });
});

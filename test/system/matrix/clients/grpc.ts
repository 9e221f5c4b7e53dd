// gRPC with @grpc/grpc-js, which shares no code with the server.
import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { ScoreRequestSchema, ScoreResponseSchema } from "../../../../gen/quintet/farkle/v1/farkle_pb.js";
import { type Client, headersOf } from "../client.ts";
import { callByGrpc } from "../grpc-call.ts";

/** gRPC, binary. */
export const grpc: Client = {
  name: "gRPC",
  protocol: "grpc",
  inUrl: false,
  showsStatus: false,
  call: (call) =>
    callByGrpc({
      host: `127.0.0.1:${call.gateway.port}`,
      path: `/quintet.farkle.v1.FarkleService/${call.method}`,
      headers: headersOf(call),
      input: toBinary(ScoreRequestSchema, create(ScoreRequestSchema, { dice: [...call.dice] })),
      read: (bytes) => toJson(ScoreResponseSchema, fromBinary(ScoreResponseSchema, bytes)),
    }),
};

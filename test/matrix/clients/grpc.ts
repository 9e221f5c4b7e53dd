// gRPC by @grpc/grpc-js, which shares no code with the server.
import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import type { Code } from "@connectrpc/connect";
import { credentials, Client as GrpcClient, Metadata, type ServiceError } from "@grpc/grpc-js";
import { ScoreRequestSchema, type ScoreResponse, ScoreResponseSchema } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { CODE_NAMES } from "../../../src/problem/code.ts";
import { type Call, type Client, headersOf } from "../client.ts";
import { detailsOfStatus } from "../details.ts";
import { ownHeaders, type Seen } from "../seen.ts";

const textsOf = (metadata: Metadata | undefined): [string, string][] =>
  Object.entries(metadata?.getMap() ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === "string");

function callWith(client: GrpcClient, call: Call): Promise<Seen> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headersOf(call))) {
    metadata.set(name, value);
  }
  const { promise, resolve } = Promise.withResolvers<Seen>();
  let headers: Metadata | undefined;
  let failed: ServiceError | null = null;
  let answer: ScoreResponse | undefined;
  const sent = client.makeUnaryRequest(
    `/quintet.farkle.v1.FarkleService/${call.method}`,
    (dice: readonly number[]) => Buffer.from(toBinary(ScoreRequestSchema, create(ScoreRequestSchema, { dice: [...dice] }))),
    (bytes: Buffer) => fromBinary(ScoreResponseSchema, bytes),
    call.dice,
    metadata,
    (error, message) => {
      failed = error;
      answer = message;
    },
  );
  sent.on("metadata", (received) => {
    headers = received;
  });
  sent.on("status", ({ metadata: trailers }) => {
    if (failed === null && answer !== undefined) {
      const body = toJson(ScoreResponseSchema, answer);
      resolve({ code: "ok", headers: ownHeaders(textsOf(headers)), body, trailers: ownHeaders(textsOf(trailers)) });
      return;
    }
    const error = failed as unknown as ServiceError;
    const [status] = trailers.get("grpc-status-details-bin");
    resolve({
      code: CODE_NAMES[error.code as number as Code],
      // A head alone is both the headers and the trailers; grpc-js shows it as the trailers.
      headers: ownHeaders([...textsOf(headers), ...textsOf(trailers)]),
      body: undefined,
      message: error.details,
      details: status === undefined ? [] : detailsOfStatus(status as Buffer),
    });
  });
  return promise;
}

/** gRPC, binary. */
export const grpc: Client = {
  name: "gRPC",
  protocol: "grpc",
  inUrl: false,
  showsStatus: false,
  async call(call) {
    const client = new GrpcClient(`127.0.0.1:${call.gateway.port}`, credentials.createInsecure());
    try {
      return await callWith(client, call);
    } finally {
      client.close();
    }
  },
};

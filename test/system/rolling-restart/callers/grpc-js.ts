// grpc-js, which spreads the calls over all addresses with its own round robin.
import { create, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { FarkleService, ScoreRequestSchema } from "../../../../gen/quintet/farkle/v1/farkle_pb.js";
import { rpcPath } from "../../../../src/gateway/rpc/rpc-path.ts";
import { type Caller, callOn, type Outcome } from "../caller.ts";

const REQUEST = Buffer.from(toBinary(ScoreRequestSchema, create(ScoreRequestSchema, { dice: [1, 1, 5] })));
const asIs = (bytes: Buffer): Buffer => bytes;

/** Unary gRPC. */
export const grpcJs: Caller = {
  name: "grpc-js",
  start({ hosts, port, key, name }) {
    const target = name === undefined ? `ipv4:${hosts.map((host) => `${host}:${port}`).join(",")}` : `dns:///${name}:${port}`;
    const client = new Client(target, credentials.createInsecure(), {
      "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
      // If a server is down it retries after a while, by default up to two minutes.
      "grpc.max_reconnect_backoff_ms": 1000,
    });
    const metadata = new Metadata();
    metadata.set("x-gateway-key", key);
    const call = (): Promise<Outcome> =>
      new Promise((resolve) => {
        client.makeUnaryRequest(rpcPath(FarkleService.method.score), asIs, asIs, REQUEST, metadata, (error) =>
          resolve(error === null ? "answered" : outcomeOf(error)),
        );
      });
    return callOn(call, () => client.close());
  },
};

const outcomeOf = ({ code, message }: ServiceError): Outcome =>
  code === status.RESOURCE_EXHAUSTED ? "limited" : { lost: message };

// Ways to call the services that need no key: real clients, one for each RPC protocol. The gRPC client shares no code with the server.
import {
  create,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type Client, Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, createConnectTransport as createNodeConnectTransport } from "@connectrpc/connect-node";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { credentials, Client as GrpcClient, type ServiceError } from "@grpc/grpc-js";
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as Status,
} from "../../../gen/grpc/health/v1/health_pb.js";
import { rpcPath } from "../../../src/gateway/rpc/rpc-path.ts";

/** One way of checking health. */
export interface HealthClient {
  readonly name: string;
  /** The status of a service, or the code of the failure. */
  check(origin: string, service: string): Promise<string>;
  /** The statuses of a service as they change, and finally the code with which the stream ended. */
  watch(origin: string, service: string): AsyncGenerator<string>;
}

const overTransport = (name: string, make: (baseUrl: string) => Transport): HealthClient => {
  const clientOf = (origin: string): Client<typeof Health> => createClient(Health, make(origin));
  const codeOf = (thrown: unknown): string => Code[ConnectError.from(thrown).code];
  return {
    name,
    check: (origin, service) =>
      clientOf(origin)
        .check({ service })
        .then(({ status }) => Status[status], codeOf),
    async *watch(origin, service) {
      try {
        for await (const { status } of clientOf(origin).watch({ service })) {
          yield Status[status];
        }
        yield "OK";
      } catch (thrown) {
        yield codeOf(thrown);
      }
    },
  };
};

const bytesOf = (service: string): Buffer =>
  Buffer.from(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service })));
const statusOf =
  ({ output }: DescMethodUnary | DescMethodServerStreaming) =>
  (bytes: Buffer): string =>
    Status[(fromBinary(output, bytes) as MessageShape<typeof Health.method.check.output>).status];
const grpcCodeOf = (error: ServiceError): string => Code[error.code as number] ?? "";

const grpcJs: HealthClient = {
  name: "gRPC by grpc-js",
  check(origin, service) {
    const client = new GrpcClient(new URL(origin).host, credentials.createInsecure());
    const { check } = Health.method;
    return new Promise((resolve) => {
      client.makeUnaryRequest(rpcPath(check), bytesOf, statusOf(check), service, (error, status) => {
        client.close();
        resolve(error === null ? (status ?? "") : grpcCodeOf(error));
      });
    });
  },
  async *watch(origin, service) {
    const client = new GrpcClient(new URL(origin).host, credentials.createInsecure());
    const { watch } = Health.method;
    try {
      yield* client.makeServerStreamRequest(rpcPath(watch), bytesOf, statusOf(watch), service);
      yield "OK";
    } catch (thrown) {
      yield grpcCodeOf(thrown as ServiceError);
    } finally {
      client.close();
    }
  },
};

/** All clients. */
export const HEALTH_CLIENTS: readonly HealthClient[] = [
  grpcJs,
  overTransport("gRPC", (baseUrl) => createGrpcTransport({ baseUrl })),
  overTransport("gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl })),
  overTransport("Connect with JSON", (baseUrl) => createConnectTransport({ baseUrl })),
  overTransport("Connect, binary, over HTTP/2", (baseUrl) =>
    createNodeConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: true }),
  ),
];

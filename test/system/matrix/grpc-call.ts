// One unary call with @grpc/grpc-js, which shares no code with the server, and what its caller sees.
import type { Code } from "@connectrpc/connect";
import { credentials, Client as GrpcClient, Metadata, type ServiceError } from "@grpc/grpc-js";
import { CODE_NAMES } from "../../../src/problem/code.ts";
import { detailsOfStatus } from "./details.ts";
import { ownHeaders, type Seen } from "./seen.ts";

/** The call. */
export interface GrpcCall {
  /** The server's host and port. */
  readonly host: string;
  /** `/quintet.farkle.v1.FarkleService/Score` */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The input message, in Protobuf's binary form. */
  readonly input: Uint8Array;
  /** Reads the output message from its bytes. */
  readonly read: (output: Uint8Array) => unknown;
}

/** Makes the call, over its own connection. */
export async function callByGrpc(call: GrpcCall): Promise<Seen> {
  const client = new GrpcClient(call.host, credentials.createInsecure());
  try {
    return await callWith(client, call);
  } finally {
    client.close();
  }
}

const textsOf = (metadata: Metadata | undefined): [string, string][] =>
  Object.entries(metadata?.getMap() ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === "string");

function callWith(client: GrpcClient, { path, headers: sentHeaders, input, read }: GrpcCall): Promise<Seen> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(sentHeaders)) {
    metadata.set(name, value);
  }
  const { promise, resolve } = Promise.withResolvers<Seen>();
  let headers: Metadata | undefined;
  let outcome: { readonly error: ServiceError } | { readonly body: unknown } | undefined;
  const sent = client.makeUnaryRequest(
    path,
    (bytes: Uint8Array) => Buffer.from(bytes),
    (bytes: Buffer) => ({ body: read(bytes) }),
    input,
    metadata,
    (error, output) => {
      outcome = error === null && output !== undefined ? output : { error: error as ServiceError };
    },
  );
  sent.on("metadata", (received) => {
    headers = received;
  });
  sent.on("status", ({ metadata: trailers }) => {
    if (outcome !== undefined && "body" in outcome) {
      resolve({ code: "ok", headers: ownHeaders(textsOf(headers)), body: outcome.body, trailers: ownHeaders(textsOf(trailers)) });
    } else if (outcome !== undefined) {
      const { error } = outcome;
      const [status] = trailers.get("grpc-status-details-bin");
      resolve({
        code: CODE_NAMES[error.code as number as Code],
        // The head of a trailers-only response has both. grpc-js shows it as the trailers.
        headers: ownHeaders([...textsOf(headers), ...textsOf(trailers)]),
        body: undefined,
        message: error.details,
        details: status === undefined ? [] : detailsOfStatus(status as Buffer),
      });
    }
  });
  return promise;
}

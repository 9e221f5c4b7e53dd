// Connect and gRPC-Web with connect-web's transports over fetch, and Connect with connect-node's over HTTP/2.
import { type DescMethodUnary, toJson } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { createConnectTransport as createNodeTransport } from "@connectrpc/connect-node";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { FarkleService, ScoreResponseSchema } from "../../../../gen/quintet/farkle/v1/farkle_pb.js";
import { type Call, type Client, headersOf } from "../client.ts";
import { seenError } from "../details.ts";
import { ownHeaders, type Seen } from "../seen.ts";

const { score } = FarkleService.method;
const nope: DescMethodUnary<typeof score.input, typeof score.output> = Object.create(score, { name: { value: "Nope" } });

async function callThrough(transport: Transport, call: Call): Promise<Seen> {
  const method = call.method === "Score" ? score : nope;
  try {
    const response = await transport.unary(method, undefined, undefined, headersOf(call), { dice: [...call.dice] });
    const body = toJson(ScoreResponseSchema, response.message);
    return { code: "ok", headers: ownHeaders(response.header), body, trailers: ownHeaders(response.trailer) };
  } catch (thrown) {
    return seenError(thrown);
  }
}

type MakeTransport = (options: { baseUrl: string; fetch: typeof fetch }) => Transport;

// connect-web does not expose the HTTP status, so it is read from the fetch that it uses.
async function callByFetch(make: MakeTransport, call: Call): Promise<Seen> {
  let status = 0;
  const transport = make({
    baseUrl: call.gateway.origin,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      status = response.status;
      return response;
    },
  });
  const seen = await callThrough(transport, call);
  return { status, ...seen };
}

const overFetch = (name: string, protocol: Client["protocol"], make: MakeTransport, inUrl = false): Client => ({
  name,
  protocol,
  inUrl,
  showsStatus: true,
  call: (call) => callByFetch(make, call),
});

/** Connect, JSON over POST. */
export const connectJson = overFetch("Connect JSON", "connect", createConnectTransport);

/** Connect, JSON over GET. */
export const connectGet = overFetch(
  "Connect GET",
  "connect",
  (options) => createConnectTransport({ ...options, useHttpGet: true }),
  true,
);

/** gRPC-Web, binary. */
export const grpcWeb = overFetch("gRPC-Web", "grpc-web", createGrpcWebTransport);

/** Connect, binary over HTTP/2, with connect-node. */
export const connectBinary: Client = {
  name: "Connect binary",
  protocol: "connect",
  inUrl: false,
  showsStatus: false,
  async call(call) {
    const transport = createNodeTransport({
      baseUrl: call.gateway.origin,
      httpVersion: "2",
      useBinaryFormat: true,
      idleConnectionTimeoutMs: 50,
    });
    return callThrough(transport, call);
  },
};

// The calls of the front page as they are sent, and their responses: recorded by test/system/portal/front-responses.test.ts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, type DescMethod, fromBinary, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { restCall, type SnippetCall } from "./snippets/snippet.ts";

/** The protocols, in the order in which the site shows them. */
export const PROTOCOLS = ["REST", "Connect", "gRPC", "gRPC-Web"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** A request, without its key. */
export interface WireRequest {
  readonly verb: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** A response as it was recorded. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64. */
  readonly body: string;
  readonly trailers: Readonly<Record<string, string>>;
}

const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(join(import.meta.dirname, "../../gen/quintet.binpb"))),
);

/**
 * A message with its gRPC prefix of five bytes: no flags, and its length.
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export function framed(message: Uint8Array): Uint8Array {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

/** The method that is called as `package.Service/Method`. */
export function methodOf(rpc: string): DescMethod {
  const [service = "", name] = rpc.split("/");
  const method = registry.getService(service)?.methods.find((one) => one.name === name);
  if (method === undefined) {
    throw new Error(`There is no method ${rpc}`);
  }
  return method;
}

function messageOf({ rpc, input }: SnippetCall): Uint8Array {
  const method = methodOf(rpc);
  return toBinary(method.input, fromJson(method.input, input as JsonValue, { registry }));
}

/** The request that is sent. */
export function wireRequest(call: SnippetCall, protocol: Protocol): WireRequest {
  const rpc = { verb: "POST", target: `/${call.rpc}` };
  switch (protocol) {
    case "REST": {
      const { verb, target, body } = restCall(call);
      return body === undefined
        ? { verb, target, headers: {}, body: undefined }
        : { verb, target, headers: { "content-type": "application/json" }, body: Buffer.from(body) };
    }
    case "Connect":
      return { ...rpc, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(call.input)) };
    case "gRPC":
      return { ...rpc, headers: { "content-type": "application/grpc+proto", te: "trailers" }, body: framed(messageOf(call)) };
    case "gRPC-Web":
      return { ...rpc, headers: { "content-type": "application/grpc-web+proto" }, body: framed(messageOf(call)) };
  }
}

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "recorded/front-wire.json"), "utf8")) as Record<
  string,
  WireResponse
>;

/** The recorded response of the call with this name. */
export function wireResponse(name: string): WireResponse {
  const response = recorded[name];
  if (response === undefined) {
    throw new Error(`${name} has no recorded response: record it with test/system/portal/front-responses.test.ts -u`);
  }
  return response;
}

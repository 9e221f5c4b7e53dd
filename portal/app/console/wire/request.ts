// A request as it goes over the wire, in each protocol. What is shown is what is sent: `fetch` gets exactly these bytes and headers.
import { type JsonObject, type Message, type Registry, toBinary, toJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { DRY_RUN_HEADER, fieldsForBody, restCall } from "../../../content/snippets/snippet.ts";
import type { ConsoleMethod } from "../contract/contract.ts";
import type { FormField } from "../form/fields.ts";
import { type FieldFault, messageOf } from "../form/values.ts";
import { type Bytes, bytesOf, envelope } from "./bytes.ts";
import type { ProtocolId } from "./protocol.ts";

/** One request, without the key: that is added when it is sent. */
export interface WireRequest {
  readonly verb: "GET" | "POST";
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined without a body. */
  readonly body: Bytes | undefined;
}

/** A request, or why the input cannot be written in this protocol. */
export type BuiltRequest = { readonly request: WireRequest } | { readonly faults: readonly FieldFault[] };

const NO_FLAG = 0;

/** What a request is built from, besides its input and its protocol. */
export interface RequestPurpose {
  readonly method: ConsoleMethod;
  readonly fields: readonly FormField[];
  readonly registry: Registry;
  /** Whether the call is a dry run. */
  readonly isDryRun: boolean;
}

/** Encodes a request. `input` is JSON with the proto's names. */
export function requestOf(purpose: RequestPurpose, input: JsonObject, protocol: ProtocolId): BuiltRequest {
  const built = callRequest(purpose, input, protocol);
  return purpose.isDryRun && "request" in built
    ? { request: { ...built.request, headers: [...built.request.headers, DRY_RUN_HEADER] } }
    : built;
}

function callRequest({ method, fields, registry }: RequestPurpose, input: JsonObject, protocol: ProtocolId): BuiltRequest {
  if (protocol === "rest") {
    return restQuery(method, input);
  }
  if (protocol === "rest-body") {
    return post(method.restPath, [["content-type", "application/json"]], bytesOf(JSON.stringify(input)));
  }
  const created = messageOf(method.desc.input, fields, input, registry);
  if (protocol === "connect" || protocol === "connect-get") {
    // Input that does not fit the message is sent as it is, so that the server says what is wrong with it.
    const json = "message" in created ? toJson(method.desc.input, created.message, { registry }) : input;
    return connectJson(method, JSON.stringify(json), protocol);
  }
  return "message" in created ? binary(method, created.message, protocol) : created;
}

function restQuery({ restPath }: ConsoleMethod, input: JsonObject): BuiltRequest {
  const forBody = fieldsForBody(input);
  return forBody.length > 0
    ? {
        faults: forBody.map((field) => ({
          field,
          description: "contains a comma or an object, which cannot be sent in the query: send a JSON body",
        })),
      }
    : { request: { verb: "GET", target: restCall({ verb: "GET", restPath, input }).target, headers: [], body: undefined } };
}

// https://connectrpc.com/docs/protocol
function connectJson({ rpc, isStream }: ConsoleMethod, json: string, protocol: "connect" | "connect-get"): BuiltRequest {
  if (protocol === "connect-get") {
    const query = new URLSearchParams({ connect: "v1", encoding: "json", message: json });
    return { request: { verb: "GET", target: `/${rpc}?${query}`, headers: [], body: undefined } };
  }
  const message = bytesOf(json);
  return post(
    `/${rpc}`,
    [
      ["content-type", isStream ? "application/connect+json" : "application/json"],
      ["connect-protocol-version", "1"],
    ],
    isStream ? envelope(NO_FLAG, message) : message,
  );
}

function binary({ desc, rpc, isStream }: ConsoleMethod, message: Message, protocol: ProtocolId): BuiltRequest {
  const bytes = toBinary(desc.input, message) as Bytes;
  switch (protocol) {
    case "connect-proto":
      return post(
        `/${rpc}`,
        [
          ["content-type", isStream ? "application/connect+proto" : "application/proto"],
          ["connect-protocol-version", "1"],
        ],
        isStream ? envelope(NO_FLAG, bytes) : bytes,
      );
    case "grpc-web-text":
      return post(
        `/${rpc}`,
        [
          ["content-type", "application/grpc-web-text+proto"],
          ["accept", "application/grpc-web-text+proto"],
          ["x-grpc-web", "1"],
        ],
        bytesOf(base64Encode(envelope(NO_FLAG, bytes))),
      );
    case "grpc":
      // https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
      return post(
        `/${rpc}`,
        [
          ["content-type", "application/grpc+proto"],
          ["te", "trailers"],
        ],
        envelope(NO_FLAG, bytes),
      );
    default:
      return post(
        `/${rpc}`,
        [
          ["content-type", "application/grpc-web+proto"],
          ["x-grpc-web", "1"],
        ],
        envelope(NO_FLAG, bytes),
      );
  }
}

const post = (target: string, headers: WireRequest["headers"], body: Bytes): BuiltRequest => ({
  request: { verb: "POST", target, headers, body },
});

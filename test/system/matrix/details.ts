// google.rpc details as JSON with their types, from Connect errors and from gRPC's status message.
import { type DescMessage, fromBinary, toJson } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  QuotaFailureSchema,
  RetryInfoSchema,
} from "../../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.js";
import { CODE_NAMES } from "../../../src/problem/code.ts";
import { ownHeaders, type Seen } from "./seen.ts";

const SCHEMAS: readonly DescMessage[] = [
  ErrorInfoSchema,
  BadRequestSchema,
  PreconditionFailureSchema,
  QuotaFailureSchema,
  RetryInfoSchema,
];

/** One detail, by the full name of its message. */
export function detailJson(type: string, value: Uint8Array): unknown {
  const schema = SCHEMAS.find(({ typeName }) => typeName === type);
  if (schema === undefined) {
    throw new Error(`a response has a detail of the type ${type}, which no response should have`);
  }
  return {
    "@type": `type.googleapis.com/${type}`,
    ...(toJson(schema, fromBinary(schema, value), { useProtoFieldName: true }) as object),
  };
}

/** What was thrown by a Connect client's call. Anything but a ConnectError is thrown again. */
export function seenError(thrown: unknown): Seen {
  if (!(thrown instanceof ConnectError)) {
    throw thrown;
  }
  const { code, rawMessage, metadata } = thrown;
  const details = thrown.details.map((detail) => {
    if (!("type" in detail)) {
      throw new Error("An error that was received has only details in bytes");
    }
    return detailJson(detail.type, detail.value);
  });
  return { code: CODE_NAMES[code], headers: ownHeaders(metadata), body: undefined, message: rawMessage, details };
}

/** The details in `grpc-status-details-bin`. */
export function detailsOfStatus(bytes: Uint8Array): unknown[] {
  return fromBinary(StatusSchema, bytes).details.map(({ typeUrl, value }) =>
    detailJson(typeUrl.slice(typeUrl.lastIndexOf("/") + 1), value),
  );
}

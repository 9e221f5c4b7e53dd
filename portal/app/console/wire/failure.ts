// Why a call failed, in each protocol: REST's envelope, Connect's JSON, or gRPC's status with its details. The reason is the same in all.
import { fromBinary, type Registry, toJson } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import type { FieldFault } from "../form/values.ts";

export interface CallFailure {
  /** One of the server's reasons, such as `RATE_LIMITED`; empty if the response names none. */
  readonly reason: string;
  /** The canonical code, such as `RESOURCE_EXHAUSTED`. */
  readonly code: string;
  readonly message: string;
  /** The faulty fields of the request. */
  readonly faults: readonly FieldFault[];
  /** Everything else that the response says. */
  readonly details: readonly Detail[];
}

/** A detail message of google.rpc as JSON, with names in snake case or camel case. */
interface Detail {
  readonly type: string;
  readonly json: Readonly<Record<string, unknown>>;
}

interface Status {
  readonly details: readonly { readonly typeUrl: string; readonly value: Uint8Array }[];
}

// https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto
const GRPC_CODES =
  "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED".split(
    " ",
  );

const shortType = (type: string): string => type.slice(type.lastIndexOf("/") + 1);

function failureOf(code: string, message: string, details: readonly Detail[]): CallFailure {
  const info = details.find(({ type }) => type === "google.rpc.ErrorInfo");
  const badRequest = details.find(({ type }) => type === "google.rpc.BadRequest")?.json;
  const violations = (badRequest?.field_violations ?? badRequest?.fieldViolations ?? []) as readonly Partial<FieldFault>[];
  return {
    reason: String(info?.json.reason ?? ""),
    code,
    message,
    faults: violations.map(({ field = "", description = "" }) => ({ field, description })),
    details,
  };
}

/** From the status alone, if the body is not an error of the protocol. */
export const httpFailure = (status: number): CallFailure =>
  failureOf(
    `HTTP ${status}`,
    "A proxy in front of the server may have refused the call: the body is not an error of this protocol.",
    [],
  );

/** From REST's envelope. Undefined if the envelope holds no error. */
export function restFailure(envelope: unknown): CallFailure | undefined {
  const { error, message } = (envelope ?? {}) as {
    readonly error?: { readonly code?: string; readonly details?: readonly Record<string, unknown>[] };
    readonly message?: string;
  };
  return (
    error &&
    failureOf(
      error.code ?? "",
      message ?? "",
      (error.details ?? []).map((json) => ({ type: shortType(String(json["@type"])), json })),
    )
  );
}

/**
 * From Connect's error: the body of a unary response, or `error` in the end of a stream.
 * https://connectrpc.com/docs/protocol#error-end-stream
 */
export function connectFailure(error: unknown, registry: Registry): CallFailure {
  const {
    code = "unknown",
    message = "",
    details = [],
  } = (error ?? {}) as {
    readonly code?: string;
    readonly message?: string;
    readonly details?: readonly { readonly type: string; readonly value: string }[];
  };
  const canonical = code === "canceled" ? "CANCELLED" : code.toUpperCase();
  return failureOf(
    canonical,
    message,
    details.flatMap(({ type, value }) => decoded(type, base64Decode(value), registry)),
  );
}

/** From the trailers of gRPC and gRPC-Web. Undefined if they say that the call succeeded. */
export function grpcFailure(trailers: Headers, registry: Registry): CallFailure | undefined {
  const status = Number(trailers.get("grpc-status") ?? 2);
  if (status === 0) {
    return undefined;
  }
  return failureOf(
    codeName(status),
    percentDecoded(trailers.get("grpc-message") ?? ""),
    statusDetails(trailers.get("grpc-status-details-bin") ?? "", registry),
  );
}

/** The canonical code of a gRPC status. */
const codeName = (status: number): string => GRPC_CODES[status] ?? String(status);

/** The details in `grpc-status-details-bin`, which is a `google.rpc.Status` in base64. Throws if it is not. */
function statusDetails(base64: string, registry: Registry): readonly Detail[] {
  const desc = registry.getMessage("google.rpc.Status");
  const details = desc === undefined ? [] : (fromBinary(desc, base64Decode(base64)) as unknown as Status).details;
  return details.flatMap(({ typeUrl, value }) => decoded(shortType(typeUrl), value, registry));
}

function decoded(type: string, value: Uint8Array, registry: Registry): readonly Detail[] {
  const desc = registry.getMessage(type);
  return desc === undefined ? [] : [{ type, json: toJson(desc, fromBinary(desc, value), { registry }) as Detail["json"] }];
}

/** `grpc-message` as text. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

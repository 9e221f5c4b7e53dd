// The details of an error. grpc-js returns them as bytes: a google.rpc.Status, in the trailer grpc-status-details-bin.
import type { ServiceError } from "@grpc/grpc-js";
import { rpc } from "./client.ts";
import type { BadRequest__Output } from "./gen/google/rpc/BadRequest.ts";
import type { ErrorInfo__Output } from "./gen/google/rpc/ErrorInfo.ts";
import type { QuotaFailure__Output } from "./gen/google/rpc/QuotaFailure.ts";
import type { RetryInfo__Output } from "./gen/google/rpc/RetryInfo.ts";

export type Detail =
  | { type: "google.rpc.ErrorInfo"; value: ErrorInfo__Output }
  | { type: "google.rpc.RetryInfo"; value: RetryInfo__Output }
  | { type: "google.rpc.QuotaFailure"; value: QuotaFailure__Output }
  | { type: "google.rpc.BadRequest"; value: BadRequest__Output };

const TYPES = {
  "google.rpc.ErrorInfo": rpc.ErrorInfo,
  "google.rpc.RetryInfo": rpc.RetryInfo,
  "google.rpc.QuotaFailure": rpc.QuotaFailure,
  "google.rpc.BadRequest": rpc.BadRequest,
};

/** The details whose types this program knows. */
export function detailsOf(error: ServiceError): Detail[] {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Buffer)) {
    return [];
  }
  const { details } = rpc.Status.deserialize(bytes);
  return details.flatMap((any) => {
    // proto-loader unpacks an Any only on request, so these are its bytes.
    const { type_url: url = "", value } = any as { type_url?: string; value?: Buffer };
    const type = url.replace("type.googleapis.com/", "") as keyof typeof TYPES;
    return type in TYPES && value !== undefined ? [{ type, value: TYPES[type].deserialize(value) } as Detail] : [];
  });
}

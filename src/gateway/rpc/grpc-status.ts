// A problem as gRPC's trailers: `grpc-status`, `grpc-message`, `grpc-status-details-bin` and `grpc-retry-pushback-ms`. In a
// trailers-only response they are in the head.
import { create, toBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.js";
import { codeOf, type Problem } from "../../problem/problem.ts";
import { base64OfBytes, errorDetails } from "./error-details.ts";
import { retryPushback } from "./retry-pushback.ts";

/** The trailers of a successful call. */
export const GRPC_STATUS_OK: Readonly<Record<string, string>> = { "grpc-status": "0" };

// Encodes the percent sign and everything except printable ASCII: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses.
// Also encodes spaces at either end: HTTP/1.1 would cut them off, and HTTP/2 would drop the whole header.
const percentEncoded = (text: string): string =>
  text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+|^\x20+|\x20+$/gu, encodeURIComponent);

// Escapes of printable ASCII except the percent sign.
const NEEDLESS_ESCAPE = /%(?:2[0-46-9A-F]|[3-6][0-9A-F]|7[0-9A-E])/gi;

/** Removes the escapes that gRPC does not need from connect-es's `grpc-message`, which also escapes spaces and punctuation. */
export const withoutNeedlessEscapes = (message: string): string =>
  message.replace(NEEDLESS_ESCAPE, decodeURIComponent).replace(/^\x20+|\x20+$/g, encodeURIComponent);

/** The trailers of a failed call. The message is percent-encoded UTF-8, the details unpadded base64. */
export function grpcStatusOf(problem: Problem): Record<string, string> {
  const code = codeOf(problem);
  const message = problem.originalError?.rawMessage ?? problem.message;
  const trailers: Record<string, string> = { "grpc-status": String(code), "grpc-message": percentEncoded(message) };
  const details = errorDetails(problem);
  if (details.length > 0) {
    const packed = details.map(({ type, bytes }) => create(AnySchema, { typeUrl: `type.googleapis.com/${type}`, value: bytes }));
    trailers["grpc-status-details-bin"] = base64OfBytes(
      toBinary(StatusSchema, create(StatusSchema, { code, message, details: packed })),
    );
  }
  return { ...trailers, ...retryPushback(problem) };
}

/** The header that lists the accepted encodings, if the problem is an encoding that is not accepted. */
export function grpcAcceptEncoding({ reason, acceptedEncoding }: Problem): Record<string, string> {
  return reason === "ENCODING_UNKNOWN" ? { "grpc-accept-encoding": acceptedEncoding ?? "gzip,identity" } : {};
}

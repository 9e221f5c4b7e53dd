// A problem in the words of gRPC: `grpc-status`, `grpc-message` and `grpc-status-details-bin`, for trailers or for a trailers-only head.
import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { type Problem, problemDetails } from "../problem/problem.ts";
import { REASONS } from "../problem/reason.ts";

/** The trailers of a call that succeeded. */
export const GRPC_STATUS_OK: Readonly<Record<string, string>> = { "grpc-status": "0" };

/** The trailers of a call that failed. The message is percent-encoded UTF-8, the details unpadded base64. */
export function grpcStatusOf(problem: Problem): Record<string, string> {
  const { code } = REASONS[problem.reason];
  const details = problemDetails(problem).map(({ desc, value }) => anyPack(desc, create(desc, value)));
  const status = toBinary(StatusSchema, create(StatusSchema, { code, message: problem.message, details }));
  return {
    "grpc-status": String(code),
    // All but printable ASCII, and the percent sign: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses
    "grpc-message": problem.message.replace(/[^\x20-\x24\x26-\x7e]+/gu, encodeURIComponent),
    "grpc-status-details-bin": Buffer.from(status).toString("base64").replace(/=+$/, ""),
  };
}

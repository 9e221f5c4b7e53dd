// An error as text: its reason, its message, and what else the server says.
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, QuotaFailureSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.ts";

/** Programs decide by the reason; the message is for people. */
export function errorText(error: unknown): string {
  const failure = ConnectError.from(error);
  const reason = failure.findDetails(ErrorInfoSchema)[0]?.reason ?? Code[failure.code];
  const more = [
    ...failure.findDetails(QuotaFailureSchema).flatMap(({ violations }) => violations.map(({ subject }) => `quota: ${subject}`)),
    ...failure
      .findDetails(RetryInfoSchema)
      .map(({ retryDelay }) => `retry after: ${retryDelay ? durationMs(retryDelay) / 1000 : 0} s`),
    ...failure
      .findDetails(BadRequestSchema)
      .flatMap(({ fieldViolations }) => fieldViolations.map(({ field, description }) => `field: ${field} ${description}`)),
  ];
  return `${reason}: ${failure.rawMessage}\n${more.map((line) => `  ${line}\n`).join("")}`;
}

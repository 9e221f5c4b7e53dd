// Converts recorded calls into response messages.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Call, CallProtocol, CallSchema } from "../../../gen/quintet/account/v1/usage_pb.js";
import { CODE_NAMES } from "../../problem/code.ts";
import { REASONS, type Reason } from "../../problem/reason.ts";
import type { LoggedCall } from "../../store/usage-records.ts";
import type { CallRecord } from "../watch/call-record.ts";

const PROTOCOLS: Readonly<Record<CallRecord["protocol"], CallProtocol>> = {
  rest: CallProtocol.REST,
  connect: CallProtocol.CONNECT,
  grpc: CallProtocol.GRPC,
  "grpc-web": CallProtocol.GRPC_WEB,
  mcp: CallProtocol.MCP,
};

/** A call that is watched. */
export function callMessage({
  outcome,
  startedAtMs,
  protocol,
  httpStatus,
  requestBytes,
  responseBytes,
  ...unchanged
}: CallRecord): Call {
  const { id, service, method, isRefused, isDryRun, durationMs, requestId, keyId, keyLastFour } = unchanged;
  return create(CallSchema, {
    id,
    startedAt: timestampFromMs(startedAtMs),
    service,
    method,
    protocol: PROTOCOLS[protocol],
    open: outcome === undefined,
    ...(httpStatus !== 0 && { httpStatus }),
    code: outcome === undefined ? "" : codeOf(outcome),
    outcome: outcome ?? "",
    refused: isRefused,
    dryRun: isDryRun,
    durationMs,
    requestBytes: BigInt(requestBytes),
    responseBytes: BigInt(responseBytes),
    requestId,
    keyId,
    keyLastFour,
  });
}

/** A call from the call log. */
export function loggedCallMessage({ parameters, leftOut, outcome, ...call }: LoggedCall): Call {
  const message = callMessage({ ...call, outcome: outcome as CallRecord["outcome"] });
  if (leftOut > 0) {
    message.leftOut = leftOut;
  }
  if (parameters !== undefined) {
    message.parameters = parameters;
  }
  return message;
}

// Empty for a reason that only another version of the program knows.
const codeOf = (outcome: "OK" | Reason): string => {
  const rule = outcome === "OK" ? undefined : REASONS[outcome];
  return outcome === "OK" ? "ok" : rule === undefined ? "" : CODE_NAMES[rule.code];
};

// The attributes of a call's span. https://opentelemetry.io/docs/specs/semconv/rpc/rpc-spans/ and .../grpc/, .../connect-rpc/
import { Code } from "@connectrpc/connect";
import type { ObservedCall } from "../../gateway/call-observer.ts";
import { CODE_NAMES } from "../../problem/code.ts";
import { REASONS, type Reason } from "../../problem/reason.ts";

type Attributes = Record<string, string | number>;

const SYSTEMS = { grpc: "grpc", "grpc-web": "grpc", connect: "connect_rpc", rest: "http", mcp: "jsonrpc" } as const;

// The codes that the conventions count as the server's own fault.
const SERVER_FAULTS: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

const GRPC_OK = 0;

/** The span's name: the method's, or a fixed one for unknown methods. */
export const spanNameOf = ({ method }: ObservedCall): string => method?.fullName ?? "unknown";

/** The attributes that are known when a call begins. */
export function callAttributes({ exchange, protocolName, method }: ObservedCall): Attributes {
  const [service, name] = method?.fullName.split("/") ?? [];
  return {
    "rpc.system": SYSTEMS[protocolName],
    ...(service !== undefined && { "rpc.service": service }),
    ...(name !== undefined && { "rpc.method": name }),
    "http.request.method": exchange.method,
    "url.scheme": exchange.isSecure ? "https" : "http",
    "network.protocol.name": "http",
    "network.protocol.version": exchange.httpVersion === 2 ? "2" : "1.1",
  };
}

/** The attributes that are known once it has ended. */
export function endAttributes({ exchange, protocolName, identity }: ObservedCall, outcome: "OK" | Reason): Attributes {
  const code = outcome === "OK" ? undefined : REASONS[outcome].code;
  const isGrpc = protocolName === "grpc" || protocolName === "grpc-web";
  return {
    ...(isGrpc && { "rpc.grpc.status_code": code ?? GRPC_OK }),
    ...(protocolName === "connect" && code !== undefined && { "rpc.connect_rpc.error_code": CODE_NAMES[code] }),
    ...(exchange.status !== 0 && { "http.response.status_code": exchange.status }),
    "http.request.body.size": exchange.requestBodyBytes,
    "http.response.body.size": exchange.responseBodyBytes,
    "quintet.reason": outcome,
    "quintet.request_id": exchange.requestId,
    ...(identity && { "quintet.account": identity.accountId }),
  };
}

/** Whether the span is marked as failed. */
export const isServerFault = (outcome: "OK" | Reason): boolean => outcome !== "OK" && SERVER_FAULTS.has(REASONS[outcome].code);

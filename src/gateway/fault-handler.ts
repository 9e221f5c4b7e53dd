// Answers requests that the transport refuses because of their heads. Each is answered in its own protocol, as far as the part of the head
// that could be read shows which.
import type { FaultHandler } from "../http/exchange.ts";
import { corsHeaders } from "./cors.ts";
import type { Fail } from "./operation.ts";
import type { RpcDispatcher } from "./rpc-dispatcher.ts";

/** What the fault handler is made from. */
export interface FaultHandlerOptions {
  readonly findRpc: RpcDispatcher;
  /** Answers requests in no RPC protocol, with the error envelope. */
  readonly failEnvelope: Fail;
}

/** Makes the fault handler. */
export function createFaultHandler({ findRpc, failEnvelope }: FaultHandlerOptions): FaultHandler {
  return (exchange, fault) => {
    const found = findRpc(exchange);
    const headers = corsHeaders(exchange);
    if (found === undefined) {
      failEnvelope(exchange, fault, { ...headers });
    } else if (found.kind === "none") {
      found.fail(exchange, fault, { ...headers });
    } else {
      found.codec.fail(exchange, fault, { ...found.method.accessCheck.headers, ...headers });
    }
  };
}

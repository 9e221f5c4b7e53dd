// Answers requests that the transport refuses for their heads, each in the protocol that it is of as far as its head could be read.
import type { FaultHandler } from "../http/exchange.ts";
import { corsHeaders } from "./cors.ts";
import type { Fail } from "./operation.ts";
import type { RpcDispatcher } from "./rpc-dispatcher.ts";

/** What it asks. */
export interface FaultHandlerOptions {
  readonly findRpc: RpcDispatcher;
  /** Answers those who speak no RPC protocol. */
  readonly failEnvelope: Fail;
}

/** Makes it. */
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

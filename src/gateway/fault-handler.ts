// Answers requests that the transport refuses because of their heads. Each is answered in its own protocol, as far as the part of the head
// that could be read shows which.
import type { FaultHandler } from "../http/exchange.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { Clock } from "../runtime/clock.ts";
import type { CallObserver } from "./call-observer.ts";
import { addCorsHeaders } from "./cors.ts";
import type { Fail } from "./operation.ts";
import type { RpcDispatcher } from "./rpc-dispatcher.ts";

/** What the fault handler is made from. */
export interface FaultHandlerOptions {
  readonly findRpc: RpcDispatcher;
  /** Answers requests in no RPC protocol, with the error envelope. */
  readonly failEnvelope: Fail;
  /** Hears of every request that is refused here; undefined where nobody does. */
  readonly observer?: CallObserver | undefined;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Makes the fault handler. */
export function createFaultHandler({ findRpc, failEnvelope, observer, clock }: FaultHandlerOptions): FaultHandler {
  return (exchange, fault) => {
    const found = findRpc(exchange);
    const headers: ResponseHeaders = found === undefined || found.kind === "none" ? {} : { ...found.method.accessCheck.headers };
    addCorsHeaders(headers, exchange);
    if (observer !== undefined) {
      const { protocolName, method } = found ?? { protocolName: "rest", method: undefined };
      const startedMs = clock.monotonicMs();
      const call = { exchange, protocolName, method, isDryRun: false, startedMs, identity: undefined };
      exchange.onEnd(() => observer.ended(call, fault.reason, true));
    }
    if (found === undefined) {
      failEnvelope(exchange, fault, headers);
    } else if (found.kind === "none") {
      found.fail(exchange, fault, headers);
    } else {
      found.codec.fail(exchange, fault, headers);
    }
  };
}

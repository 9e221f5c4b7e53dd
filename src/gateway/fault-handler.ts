// Responds to requests that the transport refuses because of their heads. Each gets a response in its own protocol, if the
// readable part of the head shows which one that is.
import type { FaultHandler, ResponseHeaders } from "@quintet/http";
import type { Clock } from "../runtime/clock.ts";
import type { CallObserver } from "./call-observer.ts";
import { addCorsHeaders } from "./cors.ts";
import type { Fail } from "./operation.ts";
import type { RpcDispatcher } from "./rpc-dispatcher.ts";
import type { AddTransportSecurity } from "./transport-security.ts";

interface FaultHandlerOptions {
  readonly findRpc: RpcDispatcher;
  /** Responds with the error envelope to requests that do not use an RPC protocol. */
  readonly failEnvelope: Fail;
  /** Notified of every request refused here; undefined if there is no observer. */
  readonly observer?: CallObserver | undefined;
  readonly addTransportSecurity: AddTransportSecurity;
  readonly clock: Pick<Clock, "monotonicMs">;
}

export function createFaultHandler({
  findRpc,
  failEnvelope,
  observer,
  addTransportSecurity,
  clock,
}: FaultHandlerOptions): FaultHandler {
  return (exchange, fault) => {
    const found = findRpc(exchange);
    const headers: ResponseHeaders = found === undefined || found.kind === "none" ? {} : { ...found.method.headers };
    addTransportSecurity(headers, exchange);
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

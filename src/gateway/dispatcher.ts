// The dispatcher: finds out what a request is for. Calls to methods go to the call runner.
import type { Exchange, RequestHandler, ResponseHeaders } from "@quintet/http";
import type { Problem } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import type { CallObserver, CurrentObserver } from "./call-observer.ts";
import type { RunCall } from "./call-runner.ts";
import { addCorsHeaders, respondToPreflight } from "./cors.ts";
import type { Document } from "./document.ts";
import type { NoOperation } from "./operation.ts";
import type { RestDispatcher } from "./rest-dispatcher.ts";
import type { RpcDispatcher } from "./rpc-dispatcher.ts";
import type { AddTransportSecurity } from "./transport-security.ts";

interface DispatcherOptions {
  readonly findRpc: RpcDispatcher;
  /** Called if `findRpc` finds nothing. */
  readonly findRest: RestDispatcher["find"];
  readonly runCall: RunCall;
  /** Path → the handler of an endpoint that has a protocol of its own. */
  readonly endpoints?: ReadonlyMap<string, RequestHandler>;
  /** Path → document. */
  readonly documents: ReadonlyMap<string, Document>;
  /** The document for a path where nothing else is served. */
  readonly documentUnder?: ((path: string) => Document | undefined) | undefined;
  /** What a browser gets for a page that does not exist. */
  readonly pageNotFound?: Document | undefined;
  readonly addTransportSecurity: AddTransportSecurity;
  readonly currentObserver?: CurrentObserver;
  readonly clock: Pick<Clock, "monotonicMs">;
}

export function createDispatcher({
  findRpc,
  findRest,
  runCall,
  endpoints = new Map(),
  documents,
  documentUnder,
  pageNotFound,
  addTransportSecurity,
  currentObserver = () => undefined,
  clock,
}: DispatcherOptions): RequestHandler {
  return (exchange) => {
    if (respondToPreflight(exchange, addTransportSecurity) || trySendDocument(exchange)) {
      return;
    }
    const endpoint = endpoints.get(exchange.path);
    if (endpoint !== undefined) {
      endpoint(exchange);
      return;
    }
    const observer = currentObserver();
    const startedMs = observer === undefined ? 0 : clock.monotonicMs();
    const operation = findRpc(exchange) ?? findRest(exchange);
    if (operation.kind === "none") {
      if (operation.problem.reason === "METHOD_UNKNOWN" && trySendPage(exchange)) {
        return;
      }
      refuseUnknown(exchange, operation, observer, startedMs);
      return;
    }
    operation.observer = observer;
    operation.startedMs = startedMs;
    runCall(operation);
  };

  function refuseUnknown(
    exchange: Exchange,
    { protocolName, method, problem, fail }: NoOperation,
    observer: CallObserver | undefined,
    startedMs: number,
  ): void {
    const isDocument =
      problem.reason === "METHOD_UNKNOWN" && (documents.get(exchange.path) ?? documentUnder?.(exchange.path)) !== undefined;
    const shown = isDocument ? documentMethodNotAllowed(exchange) : problem;
    if (observer !== undefined) {
      const call = { exchange, protocolName, method, isDryRun: false, startedMs, identity: undefined };
      exchange.onEnd(() => observer.ended(call, shown.reason, true));
    }
    const headers = commonHeaders(exchange);
    addCorsHeaders(headers, exchange);
    fail(exchange, shown, headers);
  }

  function commonHeaders(exchange: Exchange): ResponseHeaders {
    const headers: ResponseHeaders = {};
    addTransportSecurity(headers, exchange);
    return headers;
  }

  function trySendDocument(exchange: Exchange): boolean {
    const document = documents.get(exchange.path);
    if (document === undefined || !isGetOrHead(exchange)) {
      return false;
    }
    document(exchange, commonHeaders(exchange));
    return true;
  }

  function trySendPage(exchange: Exchange): boolean {
    const page = isGetOrHead(exchange)
      ? (documentUnder?.(exchange.path) ?? (isNavigation(exchange) ? pageNotFound : undefined))
      : undefined;
    page?.(exchange, commonHeaders(exchange));
    return page !== undefined;
  }
}

const isGetOrHead = ({ method }: Exchange): boolean => method === "GET" || method === "HEAD";

// Browsers send this when a person opens an address; API clients do not.
const isNavigation = ({ headers }: Exchange): boolean => headers.accept?.toString().includes("text/html") === true;

function documentMethodNotAllowed({ method }: Exchange): Problem {
  const allow = "GET, HEAD";
  return { reason: "METHOD_NOT_ALLOWED", message: `This path accepts ${allow}, not ${method}.`, allow };
}

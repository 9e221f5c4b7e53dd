// The dispatcher: finds the method that a request calls and the protocol, asks the method's access check, and hands the admitted call to its
// pipeline. There is no other way to a service.
import type { Admitted, Refused } from "../guard/guard.ts";
import { limitHeaders } from "../guard/limit-headers.ts";
import type { Exchange, RequestHandler } from "../http/exchange.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { Problem } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import type { CallObserver, CurrentObserver } from "./call-observer.ts";
import { addCorsHeaders, answeredPreflight } from "./cors.ts";
import type { Document } from "./document.ts";
import { dryRunOf } from "./dry-run.ts";
import type { NoOperation, Operation } from "./operation.ts";
import type { RestDispatcher } from "./rest-dispatcher.ts";
import type { ConnectPipeline } from "./rpc/connect-pipeline.ts";
import type { RestStreamPipeline } from "./rpc/rest-stream-pipeline.ts";
import type { UnaryPipeline } from "./rpc/unary-pipeline.ts";
import type { RpcDispatcher } from "./rpc-dispatcher.ts";

/** What the dispatcher is made of. */
export interface DispatcherOptions {
  readonly findRpc: RpcDispatcher;
  /** Asked where `findRpc` finds nothing. */
  readonly findRest: RestDispatcher["find"];
  readonly unaryPipeline: UnaryPipeline;
  readonly connectPipeline: ConnectPipeline;
  readonly restStreamPipeline: RestStreamPipeline;
  /** Path → document. */
  readonly documents: ReadonlyMap<string, Document>;
  /** The document of a path at which nothing else is served. */
  readonly documentUnder?: ((path: string) => Document | undefined) | undefined;
  /** What a browser gets that asks for a page that is not there. */
  readonly pageNotFound?: Document | undefined;
  readonly currentObserver?: CurrentObserver;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Makes the dispatcher. */
export function createDispatcher({
  findRpc,
  findRest,
  unaryPipeline,
  connectPipeline,
  restStreamPipeline,
  documents,
  documentUnder,
  pageNotFound,
  currentObserver = () => undefined,
  clock,
}: DispatcherOptions): RequestHandler {
  return (exchange) => {
    if (answeredPreflight(exchange) || answeredDocument(exchange)) {
      return;
    }
    const observer = currentObserver();
    const startedMs = observer === undefined ? 0 : clock.monotonicMs();
    const operation = findRpc(exchange) ?? findRest(exchange);
    if (operation.kind === "none") {
      if (operation.problem.reason === "METHOD_UNKNOWN" && answeredPage(exchange)) {
        return;
      }
      refuseUnknown(exchange, operation, observer, startedMs);
      return;
    }
    operation.observer = observer;
    operation.startedMs = startedMs;
    const { accessCheck, fullName } = operation.method;
    const isDryRun = dryRunOf(exchange, operation.method);
    if (typeof isDryRun === "object") {
      proceed(operation, { admitted: false, problem: isDryRun });
      return;
    }
    operation.isDryRun = isDryRun;
    const decision = accessCheck.admit(exchange, fullName, isDryRun);
    if (decision instanceof Promise) {
      decision.then((decided) => proceed(operation, decided));
    } else {
      proceed(operation, decision);
    }
  };

  function refuseUnknown(
    exchange: Exchange,
    { protocolName, method, problem, fail }: NoOperation,
    observer: CallObserver | undefined,
    startedMs: number,
  ): void {
    const isDocument =
      problem.reason === "METHOD_UNKNOWN" && (documents.get(exchange.path) ?? documentUnder?.(exchange.path)) !== undefined;
    const told = isDocument ? documentMethodNotAllowed(exchange) : problem;
    if (observer !== undefined) {
      const call = { exchange, protocolName, method, isDryRun: false, startedMs, identity: undefined };
      exchange.onEnd(() => observer.ended(call, told.reason, true));
    }
    const headers: ResponseHeaders = {};
    addCorsHeaders(headers, exchange);
    fail(exchange, told, headers);
  }

  function proceed(operation: Operation, decision: Admitted | Refused): void {
    const { exchange, method, codec, observer } = operation;
    // One by one: V8 copies the first object of a literal at once, and takes 20 to 30 ns for each header of a second one.
    const headers = { ...method.accessCheck.headers };
    addCorsHeaders(headers, exchange);
    if (decision.limits !== undefined) {
      const { "ratelimit-policy": policy, ratelimit } = limitHeaders(decision.limits);
      headers["ratelimit-policy"] = policy;
      headers.ratelimit = ratelimit;
    }
    operation.headers = headers;
    operation.identity = decision.identity;
    if (!decision.admitted) {
      if (observer !== undefined) {
        exchange.onEnd(() => observer.ended(operation, decision.problem.reason, true));
      }
      codec.fail(exchange, decision.problem, operation.headers);
      return;
    }
    operation.admitted = decision;
    if (observer?.within === undefined) {
      run(operation);
    } else {
      observer.within(operation, () => run(operation));
    }
  }

  function run(operation: Operation): void {
    switch (operation.kind) {
      case "unary":
        unaryPipeline(operation);
        break;
      case "rest-stream":
        restStreamPipeline(operation);
        break;
      case "rpc-stream":
        connectPipeline(operation);
        break;
    }
  }

  function answeredDocument(exchange: Exchange): boolean {
    const document = documents.get(exchange.path);
    if (document === undefined || !reads(exchange)) {
      return false;
    }
    document(exchange);
    return true;
  }

  function answeredPage(exchange: Exchange): boolean {
    const page = reads(exchange)
      ? (documentUnder?.(exchange.path) ?? (asksForPage(exchange) ? pageNotFound : undefined))
      : undefined;
    page?.(exchange);
    return page !== undefined;
  }
}

const reads = ({ method }: Exchange): boolean => method === "GET" || method === "HEAD";

// Browsers say so when somebody opens an address; programs that call an API do not.
const asksForPage = ({ headers }: Exchange): boolean => headers.accept?.toString().includes("text/html") === true;

function documentMethodNotAllowed({ method }: Exchange): Problem {
  const allow = "GET, HEAD";
  return { reason: "METHOD_NOT_ALLOWED", message: `This path takes ${allow}, not ${method}.`, allow };
}

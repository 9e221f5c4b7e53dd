// The dispatcher: finds what a request asks for and in which protocol, asks its access check on the head alone, and hands the admitted
// call to its pipeline. There is no other way to a service.
import type { OutgoingHttpHeaders } from "node:http";
import type { Admitted, Refused } from "../guard/guard.ts";
import { limitHeaders } from "../guard/limit-headers.ts";
import type { Exchange, RequestHandler } from "../http/exchange.ts";
import type { Problem } from "../problem/problem.ts";
import { answeredPreflight, corsHeaders } from "./cors.ts";
import type { Document } from "./document.ts";
import type { RestStreamMatch, RouteMatch, RpcStreamMatch, UnaryMatch } from "./route-match.ts";
import type { ConnectPipeline } from "./rpc/connect-pipeline.ts";
import type { RestStreamPipeline } from "./rpc/rest-stream-pipeline.ts";
import type { UnaryPipeline } from "./rpc/unary-pipeline.ts";

/** What the dispatcher is made of. */
export interface DispatcherOptions {
  readonly find: (exchange: Exchange) => RouteMatch;
  readonly unaryPipeline: UnaryPipeline;
  readonly connectPipeline: ConnectPipeline;
  readonly restStreamPipeline: RestStreamPipeline;
  /** Path → document. */
  readonly documents: ReadonlyMap<string, Document>;
}

/** Makes the dispatcher. */
export function createDispatcher({
  find,
  unaryPipeline,
  connectPipeline,
  restStreamPipeline,
  documents,
}: DispatcherOptions): RequestHandler {
  return (exchange) => {
    if (answeredPreflight(exchange) || answeredDocument(exchange)) {
      return;
    }
    const found = find(exchange);
    if (found.kind === "problem") {
      const isDocument = found.problem.reason === "METHOD_UNKNOWN" && documents.has(exchange.path);
      found.fail(exchange, isDocument ? documentIsRead(exchange) : found.problem, { ...corsHeaders(exchange) });
      return;
    }
    const { accessCheck, fullName } = found.method;
    const decision = accessCheck.admit(exchange, fullName);
    if (decision instanceof Promise) {
      decision.then((decided) => proceed(exchange, found, decided));
    } else {
      proceed(exchange, found, decision);
    }
  };

  function proceed(exchange: Exchange, found: UnaryMatch | RpcStreamMatch | RestStreamMatch, decision: Admitted | Refused): void {
    const limits = decision.limits === undefined ? undefined : limitHeaders(decision.limits);
    const headers: OutgoingHttpHeaders = { ...found.method.accessCheck.headers, ...corsHeaders(exchange), ...limits };
    if (!decision.admitted) {
      (found.kind === "stream" ? found : found.codec).fail(exchange, decision.problem, headers);
    } else if (found.kind === "call") {
      const { method, codec, invoke } = found;
      unaryPipeline({ exchange, method, codec, invoke, admitted: decision, headers });
    } else if (found.kind === "rest-stream") {
      const { method, invoke, codec, format, writeData } = found;
      restStreamPipeline({ exchange, method, invoke, codec, format, writeData, admitted: decision, headers });
    } else {
      connectPipeline({ exchange, admitted: decision, headers, fail: found.fail });
    }
  }

  function answeredDocument(exchange: Exchange): boolean {
    const document = documents.get(exchange.path);
    if (document === undefined || (exchange.method !== "GET" && exchange.method !== "HEAD")) {
      return false;
    }
    document(exchange);
    return true;
  }
}

// A document can be read, and nothing else.
function documentIsRead({ method }: Exchange): Problem {
  const allow = "GET, HEAD";
  return { reason: "METHOD_NOT_ALLOWED", message: `This path takes ${allow}, not ${method}.`, allow };
}

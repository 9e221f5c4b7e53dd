// The Connect lane: connect-node's own adapter, for streaming methods and for whatever the unary lane does not take. It runs the same
// handlers through the same interceptors, and settles each call when its answer has ended.
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { type ContextValues, createContextKey, type Interceptor } from "@connectrpc/connect";
import { compressionGzip, connectNodeAdapter } from "@connectrpc/connect-node";
import type { Admitted } from "../guard/guard.ts";
import type { Log } from "../log.ts";
import { problemOf } from "../problem/problem.ts";
import type { Reason } from "../problem/reason.ts";
import type { Exchange } from "../server/exchange.ts";
import type { DataService } from "../services/service.ts";
import type { MessageLimits } from "./codec.ts";
import { CallValues } from "./unary-call.ts";

/** What the lane works with. */
export interface ConnectLaneOptions {
  readonly services: readonly DataService[];
  /** `interceptors[0]` is outermost. */
  readonly interceptors: readonly Interceptor[];
  readonly limits: MessageLimits;
  readonly log: Log;
}

/** Runs one admitted call of any RPC protocol and any kind of method. */
export type ConnectLane = (exchange: Exchange, admitted: Admitted, headers: OutgoingHttpHeaders) => void;

interface Outcome {
  reason: "OK" | Reason | undefined;
}

const outcomeKey = createContextKey<Outcome>({ reason: undefined }, { description: "how the call ended" });

/** Makes the lane. */
export function createConnectLane({ services, interceptors, limits, log }: ConnectLaneOptions): ConnectLane {
  const valuesOf = new WeakMap<IncomingMessage | Http2ServerRequest, ContextValues>();
  const adapter = connectNodeAdapter({
    routes(router) {
      for (const service of services) {
        // No options here: they would replace the router's interceptors.
        router.service(service.desc, service.implementation);
      }
    },
    interceptors: [recordOutcome(log), ...interceptors],
    acceptCompression: [compressionGzip],
    readMaxBytes: limits.messageBytesMax,
    contextValues: (request) => valuesOf.get(request) as ContextValues,
  });
  return (exchange, admitted, headers) => {
    const { request, response } = exchange;
    const outcome: Outcome = { reason: undefined };
    valuesOf.set(request, new CallValues(admitted.principal).set(outcomeKey, outcome));
    // Handlers see the request's headers; none of them sees the key.
    delete request.headers["x-gateway-key"];
    response.setHeader("x-request-id", exchange.requestId);
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) {
        response.setHeader(name, value);
      }
    }
    exchange.onEnd((completed) => {
      // No interceptor ran: the adapter refused the request's frames or bytes before there was a call.
      admitted.settle(outcome.reason ?? (completed ? "MALFORMED_REQUEST" : "CANCELLED"));
    });
    adapter(request, response);
  };
}

function recordOutcome(log: Log): Interceptor {
  return (next) => async (request) => {
    const outcome = request.contextValues.get(outcomeKey);
    const failed = (thrown: unknown): never => {
      const problem = problemOf(thrown);
      outcome.reason = problem.reason;
      if (problem.reason === "INTERNAL") {
        log.error({ err: problem.cause, method: request.method.toString() }, "a call failed by a defect");
      }
      throw thrown;
    };
    try {
      const answer = await next(request);
      if (!answer.stream) {
        outcome.reason = "OK";
        return answer;
      }
      const messages = answer.message;
      const recorded = (async function* () {
        try {
          yield* messages;
          outcome.reason = "OK";
        } catch (thrown) {
          failed(thrown);
        }
      })();
      return { ...answer, message: recorded };
    } catch (thrown) {
      return failed(thrown);
    }
  };
}

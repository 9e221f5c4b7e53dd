// Runs a call: applies the method's access check, and passes the admitted call to its pipeline. Nothing else calls a service.

import { limitHeaders } from "@quintet/guard";
import type { Admitted, Refused } from "../guard/guard.ts";
import { addCorsHeaders } from "./cors.ts";
import type { Operation } from "./operation.ts";
import { dryRunOf } from "./operation.ts";
import type { RestStreamPipeline } from "./rest/stream-pipeline.ts";
import type { ConnectPipeline } from "./rpc/connect-pipeline.ts";
import type { UnaryPipeline } from "./rpc/unary-pipeline.ts";
import type { AddTransportSecurity } from "./transport-security.ts";

interface CallRunnerOptions {
  readonly unaryPipeline: UnaryPipeline;
  readonly connectPipeline: ConnectPipeline;
  readonly restStreamPipeline: RestStreamPipeline;
  readonly addTransportSecurity: AddTransportSecurity;
}

/** Runs calls. Responds to each one, and never throws or rejects. */
export type RunCall = (operation: Operation) => void;

export function createCallRunner({
  unaryPipeline,
  connectPipeline,
  restStreamPipeline,
  addTransportSecurity,
}: CallRunnerOptions): RunCall {
  return (operation) => {
    const { exchange, method } = operation;
    const isDryRun = dryRunOf(exchange, method);
    if (typeof isDryRun === "object") {
      proceed(operation, { admitted: false, problem: isDryRun });
      return;
    }
    operation.isDryRun = isDryRun;
    const decision = method.accessCheck.admit(exchange, method.fullName, isDryRun);
    if (decision instanceof Promise) {
      decision.then((decided) => proceed(operation, decided));
    } else {
      proceed(operation, decision);
    }
  };

  function proceed(operation: Operation, decision: Admitted | Refused): void {
    const { exchange, method, codec, observer } = operation;
    // Assigned one at a time, because V8 is slow to copy a second object into a literal.
    const headers = { ...method.headers };
    addTransportSecurity(headers, exchange);
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
}

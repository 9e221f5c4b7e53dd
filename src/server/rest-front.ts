// Finds the REST operation that a request asks for, and refuses what its head alone shows to be wrong: in the error envelope, always.
import type { DescMethod } from "@bufbuild/protobuf";
import type { Clock } from "../clock.ts";
import { failRest, RestCodec } from "../lanes/codecs/rest.ts";
import type { Invoke } from "../lanes/invoke.ts";
import { type Method, rpcPath } from "../lanes/method.ts";
import type { Problem } from "../problem/problem.ts";
import type { Routes } from "../rest/routes.ts";
import type { Exchange } from "./exchange.ts";
import type { Fail, Found } from "./found.ts";
import { acceptsJson, mediaTypeOf } from "./media-type.ts";

/** What the REST front is made of. */
export interface RestFrontOptions {
  readonly routes: Routes;
  readonly methods: ReadonlyMap<string, Method>;
  readonly clock: Clock;
}

/** The REST front. */
export interface RestFront {
  find(exchange: Exchange): Found;
  /** Answers in the error envelope those who speak no protocol that has a word of its own. */
  readonly fail: Fail;
}

const BODY_TYPES: ReadonlyMap<string, "json" | "form"> = new Map([
  ["", "json"],
  ["application/json", "json"],
  ["application/x-www-form-urlencoded", "form"],
]);

/** Makes the front. */
export function createRestFront({ routes, methods, clock }: RestFrontOptions): RestFront {
  const calls = new Map<DescMethod, { method: Method; invoke: Invoke }>();
  for (const method of methods.values()) {
    if (method.invoke !== undefined) {
      calls.set(method.desc, { method, invoke: method.invoke });
    }
  }
  const fail: Fail = (exchange, problem, headers) => failRest(exchange, problem, headers, clock);
  const refuse = (problem: Problem): Found => ({ kind: "problem", problem, fail });

  return {
    fail,
    find(exchange) {
      const match = routes.match(exchange.method, exchange.path);
      switch (match.kind) {
        case "unknown":
          return refuse({
            reason: "METHOD_UNKNOWN",
            message: "There is nothing at this path; `/openapi.json` lists what there is.",
          });
        case "malformed":
          return refuse({ reason: "MALFORMED_REQUEST", message: "The path's percent-encoding is not valid UTF-8 text." });
        case "method-not-allowed": {
          const allow = match.allowed.join(", ");
          return refuse({ reason: "METHOD_NOT_ALLOWED", message: `This path takes ${allow}, not ${exchange.method}.`, allow });
        }
        case "route": {
          const call = calls.get(match.route.rpc);
          if (call === undefined) {
            throw new Error(`${rpcPath(match.route.rpc)} has a route and no handler`);
          }
          const bodyType = exchange.hasBody ? BODY_TYPES.get(mediaTypeOf(exchange.headers["content-type"])) : "json";
          const problem = problemOfHead(exchange, bodyType);
          return problem === undefined
            ? { kind: "call", ...call, codec: new RestCodec(match.route, match.pathValues, bodyType ?? "json", clock) }
            : refuse(problem);
        }
      }
    },
  };
}

function problemOfHead({ method, headers, hasBody, httpVersion }: Exchange, bodyType: string | undefined): Problem | undefined {
  if (!acceptsJson(headers.accept)) {
    return { reason: "NOT_ACCEPTABLE", message: "The answer is application/json, which the accept header does not take." };
  }
  if (bodyType === undefined) {
    const message = "The body must be application/json or application/x-www-form-urlencoded; say which in content-type.";
    return { reason: "UNSUPPORTED_MEDIA_TYPE", message };
  }
  // What stands between may not expect a body on a GET: one whose end it can not tell could be taken for the next request.
  if (method === "GET" && hasBody && httpVersion === 1 && headers["content-length"] === undefined) {
    return { reason: "LENGTH_REQUIRED", message: "A GET with a body must say its length in content-length." };
  }
  return undefined;
}

// What the dispatcher finds in a request's head.
import type { OutgoingHttpHeaders } from "node:http";
import type { Exchange } from "../http/exchange.ts";
import type { Problem } from "../problem/problem.ts";
import type { Codec } from "./rpc/codec.ts";
import type { Invoke } from "./rpc/invoke.ts";
import type { Method } from "./rpc/method.ts";
import type { AdmittedRestStream } from "./rpc/rest-stream-pipeline.ts";

/** Sends a problem in the caller's own protocol. */
export type Fail = (exchange: Exchange, problem: Problem, headers: OutgoingHttpHeaders) => void;

/** A call for the unary pipeline. */
export interface UnaryMatch {
  readonly kind: "call";
  readonly method: Method;
  readonly codec: Codec;
  readonly invoke: Invoke;
}

/** A call for the Connect pipeline. */
export interface RpcStreamMatch {
  readonly kind: "stream";
  readonly method: Method;
  readonly fail: Fail;
}

/** A call for REST's stream pipeline. */
export interface RestStreamMatch extends Pick<AdmittedRestStream, "method" | "invoke" | "codec" | "format" | "writeData"> {
  readonly kind: "rest-stream";
}

/** A request that is refused before the guard, because it is no call. */
interface FoundProblem {
  readonly kind: "problem";
  readonly problem: Problem;
  readonly fail: Fail;
}

/** What the dispatcher finds. */
export type RouteMatch = UnaryMatch | RpcStreamMatch | RestStreamMatch | FoundProblem;

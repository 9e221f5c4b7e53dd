// Calls a unary method's implementation through the interceptors that both lanes share. The chain is built once a method.
import { create, type DescMessage, isMessage, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type { Interceptor, MethodImplSpec, UnaryResponse } from "@connectrpc/connect";
import { Failure } from "../problem/problem.ts";
import { UnaryCall } from "./unary-call.ts";

/** Runs one call: interceptors, then the implementation. Throws or rejects with whatever either throws. */
export type Invoke = (call: UnaryCall) => Promise<{ readonly message: Message }>;

class CallResponse implements UnaryResponse {
  readonly stream = false as const;
  readonly message: Message;
  readonly #call: UnaryCall;

  constructor(call: UnaryCall, message: Message) {
    this.#call = call;
    this.message = message;
  }

  get method() {
    return this.#call.method;
  }

  get service() {
    return this.#call.service;
  }

  get header(): Headers {
    return this.#call.responseHeader;
  }

  get trailer(): Headers {
    return this.#call.responseTrailer;
  }
}

const completed = (schema: DescMessage, output: MessageInitShape<DescMessage>): Message =>
  isMessage(output, schema) ? output : create(schema, output);

/** The chain for one method, `interceptors[0]` outermost; undefined when the method is not unary. */
export function createInvoke(implementation: MethodImplSpec, interceptors: readonly Interceptor[]): Invoke | undefined {
  if (implementation.kind !== "unary") {
    return undefined;
  }
  const { impl } = implementation;
  const schema = implementation.method.output;
  type Next = ReturnType<Interceptor>;
  const last: Next = async (request) => {
    if (!(request instanceof UnaryCall)) {
      throw new Failure({ reason: "INTERNAL", message: "An interceptor replaced the call." });
    }
    const output = impl(request.message, request);
    // Waiting for what is there already would cost every such call a turn.
    return new CallResponse(request, completed(schema, output instanceof Promise ? await output : output));
  };
  const chain = interceptors.reduceRight<Next>((next, interceptor) => interceptor(next), last);
  return chain as Invoke;
}

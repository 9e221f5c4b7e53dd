// Calls the implementation of a method that answers with a stream through the interceptors that both lanes share.
import { create, type DescMessage, isMessage, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type { Interceptor, MethodImplSpec, StreamRequest } from "@connectrpc/connect";
import { Failure } from "../problem/problem.ts";
import type { UnaryCall } from "./unary-call.ts";

/** Runs one call with one input message: interceptors, then the implementation. Rejects, or its answers do, with whatever either throws. */
export type InvokeStream = (call: UnaryCall) => Promise<AsyncIterable<Message>>;

/** The chain for one method, `interceptors[0]` outermost; undefined when the method is not one that streams its answers alone. */
export function createInvokeStream(implementation: MethodImplSpec, interceptors: readonly Interceptor[]): InvokeStream | undefined {
  if (implementation.kind !== "server_streaming") {
    return undefined;
  }
  const { impl, method } = implementation;
  type Next = ReturnType<Interceptor>;
  return async (call) => {
    const last: Next = async (request) => {
      if (!request.stream) {
        throw new Failure({ reason: "INTERNAL", message: "An interceptor replaced the call." });
      }
      const input = await firstOf(request.message);
      return {
        stream: true,
        method,
        service: method.parent,
        header: call.responseHeader,
        trailer: call.responseTrailer,
        message: completed(method.output, impl(input, call)),
      };
    };
    const request: StreamRequest = {
      stream: true,
      method,
      service: method.parent,
      requestMethod: call.requestMethod,
      url: call.url,
      signal: call.signal,
      header: call.requestHeader,
      contextValues: call.values,
      message: once(call.message),
    };
    const chain = interceptors.reduceRight<Next>((next, interceptor) => interceptor(next), last);
    return (await chain(request)).message as AsyncIterable<Message>;
  };
}

async function* once(message: Message): AsyncGenerator<Message> {
  yield message;
}

// The interceptors check a message as it is read.
async function firstOf(messages: AsyncIterable<Message>): Promise<Message> {
  for await (const message of messages) {
    return message;
  }
  throw new Failure({ reason: "INTERNAL", message: "An interceptor swallowed the input." });
}

async function* completed(schema: DescMessage, outputs: AsyncIterable<MessageInitShape<DescMessage>>): AsyncGenerator<Message> {
  for await (const output of outputs) {
    yield isMessage(output, schema) ? output : create(schema, output);
  }
}

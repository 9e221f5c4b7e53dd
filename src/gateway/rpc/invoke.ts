// Calls a method's implementation with one message, for one response or a stream of them. Created once per method.
import { create, type DescMessage, isMessage, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, MethodImplSpec } from "@connectrpc/connect";

/** Calls a unary method. Throws or rejects with whatever the implementation throws. */
export type Invoke = (input: Message, context: HandlerContext) => Message | Promise<Message>;

/** Calls a server-streaming method. Iterating rejects with whatever the implementation throws. */
export type InvokeStream = (input: Message, context: HandlerContext) => AsyncIterable<Message>;

const completed = (schema: DescMessage, output: MessageInitShape<DescMessage>): Message =>
  isMessage(output, schema) ? output : create(schema, output);

/** Returns the function that calls the method; undefined if the method is not unary. */
export function createInvoke(implementation: MethodImplSpec): Invoke | undefined {
  if (implementation.kind !== "unary") {
    return undefined;
  }
  const { impl, method } = implementation;
  return (input, context) => {
    return whenResolved(impl(input, context), (output) => completed(method.output, output));
  };
}

/** Returns the function that calls the method; undefined if the method is not server-streaming. */
export function createInvokeStream(implementation: MethodImplSpec): InvokeStream | undefined {
  if (implementation.kind !== "server_streaming") {
    return undefined;
  }
  const { impl, method } = implementation;
  return async function* (input, context) {
    for await (const output of impl(input, context)) {
      yield completed(method.output, output);
    }
  };
}

/**
 * Calls `next` with the value, at once or when it arrives; in the latter case returns a promise of the result. Throws and rejects
 * with what `next` throws.
 */
export function whenResolved<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

// Calls a method's implementation with one message, as both kinds of pipeline do: for one answer, or for a stream of them. Made once a
// method.
import { create, type DescMessage, isMessage, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, MethodImplSpec } from "@connectrpc/connect";

/** Calls a unary method. Throws or rejects with whatever the implementation throws. */
export type Invoke = (input: Message, context: HandlerContext) => Message | Promise<Message>;

/** Calls a method that answers one message with a stream. Its messages reject with whatever the implementation throws. */
export type InvokeStream = (input: Message, context: HandlerContext) => AsyncIterable<Message>;

const completed = (schema: DescMessage, output: MessageInitShape<DescMessage>): Message =>
  isMessage(output, schema) ? output : create(schema, output);

/** For one method; undefined when it is not unary. */
export function createInvoke(implementation: MethodImplSpec): Invoke | undefined {
  if (implementation.kind !== "unary") {
    return undefined;
  }
  const { impl, method } = implementation;
  return (input, context) => {
    const output = impl(input, context);
    // Waiting for what is there already would cost every such call a turn.
    return output instanceof Promise ? output.then((value) => completed(method.output, value)) : completed(method.output, output);
  };
}

/** For one method; undefined when it is not one that streams its answers alone. */
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

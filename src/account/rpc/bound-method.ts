// A method of an account service together with its handler. Its caller needs to know neither the message types nor who may call the method.
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  isMessage,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { StreamCall } from "./handlers.ts";
import type { AnonymousCaller } from "./sign-in-handlers.ts";

/** Who calls. */
export interface AccountCaller extends AnonymousCaller {
  /** A session's token; undefined where the service needs none. */
  readonly token: string | undefined;
}

/** A method with its handler. */
export interface BoundMethod {
  readonly method: DescMethodUnary;
  /** Rejects with a Failure, or as the store does. */
  readonly call: (input: Message, caller: AccountCaller) => Promise<Message>;
}

/** Binds a method to its handler. `identify` finds out who the caller is, as the handler needs to know it. */
export function bindMethod<Input extends DescMessage, Output extends DescMessage, Who>(
  method: DescMethodUnary<Input, Output>,
  identify: (caller: AccountCaller) => Who | Promise<Who>,
  handle: (input: MessageShape<Input>, who: Who) => Promise<MessageInitShape<Output>>,
): BoundMethod {
  return {
    method,
    async call(input, caller) {
      requireInput(method, input);
      return create(method.output, await handle(input, await identify(caller)));
    },
  };
}

/** A method that answers with a stream, with its handler. */
export interface BoundStream {
  readonly method: DescMethodServerStreaming;
  /** Its messages reject with a Failure, or as the store does. The handler hears by the signal that the stream is over. */
  readonly stream: (input: Message, caller: AccountCaller, signal: AbortSignal) => AsyncIterable<Message>;
}

/** Binds a method that answers with a stream. `identify` is asked again while the stream goes on. */
export function bindStream<Input extends DescMessage, Output extends DescMessage, Who>(
  method: DescMethodServerStreaming<Input, Output>,
  identify: (caller: AccountCaller) => Promise<Who>,
  handle: (input: MessageShape<Input>, who: Who, call: StreamCall) => AsyncIterable<MessageInitShape<Output>>,
): BoundStream {
  return {
    method,
    async *stream(input, caller, signal) {
      requireInput(method, input);
      const requireSession = () => identify(caller);
      for await (const output of handle(input, await requireSession(), { signal, requireSession })) {
        yield create(method.output, output);
      }
    },
  };
}

function requireInput<Input extends DescMessage>(
  method: DescMethod & { readonly input: Input },
  input: Message,
): asserts input is MessageShape<Input> {
  if (!isMessage(input, method.input)) {
    throw new TypeError(`${method.name} takes a ${method.input.typeName}, not a ${input.$typeName}`);
  }
}

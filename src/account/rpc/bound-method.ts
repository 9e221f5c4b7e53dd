// The methods of an account service together with their handlers. Who calls them needs to know neither the message types nor who may call which.
import {
  create,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  isMessage,
  type Message,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import type { Handlers, StreamCall } from "./handlers.ts";
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

/** A method that answers with a stream, with its handler. */
export interface BoundStream {
  readonly method: DescMethodServerStreaming;
  /** Its messages reject with a Failure, or as the store does. The signal aborts when the stream is over. */
  readonly stream: (input: Message, caller: AccountCaller, signal: AbortSignal) => AsyncIterable<Message>;
}

/** Finds out who calls a method, as its handler needs to know it. Rejects with a Failure when they may not. While a stream goes on it is asked again. */
export type Identify<Who> = (method: DescMethod, caller: AccountCaller) => Who | Promise<Who>;

// The handlers of a service, which the compiler has checked by their names and types, as they look to a loop over its methods.
type AnyHandler<Who> = (input: Message, who: Who) => Promise<MessageInitShape<DescMethodUnary["output"]>>;
type AnyStreamHandler<Who> = (
  input: Message,
  who: Who,
  call: StreamCall,
) => AsyncIterable<MessageInitShape<DescMethodUnary["output"]>>;

/** Binds each of `handlers` to the method of `service` that it is named after. */
export function bindMethods<Desc extends DescService, Who>(
  service: Desc,
  handlers: Partial<Handlers<Desc, Who>>,
  identify: Identify<Who>,
): readonly (BoundMethod | BoundStream)[] {
  const byName = handlers as Readonly<Record<string, AnyHandler<Who> | AnyStreamHandler<Who> | undefined>>;
  return service.methods.flatMap((method): readonly (BoundMethod | BoundStream)[] => {
    const handle = byName[method.localName];
    if (handle === undefined) {
      return [];
    }
    switch (method.methodKind) {
      case "unary":
        return [bindUnary(method as DescMethodUnary, handle as AnyHandler<Who>, identify)];
      case "server_streaming":
        return [bindStream(method as DescMethodServerStreaming, handle as AnyStreamHandler<Who>, identify)];
      default:
        throw new TypeError(`${method.name} takes a stream, which no account service does`);
    }
  });
}

const bindUnary = <Who>(method: DescMethodUnary, handle: AnyHandler<Who>, identify: Identify<Who>): BoundMethod => ({
  method,
  async call(input, caller) {
    requireInput(method, input);
    return create(method.output, await handle(input, await identify(method, caller)));
  },
});

const bindStream = <Who>(
  method: DescMethodServerStreaming,
  handle: AnyStreamHandler<Who>,
  identify: Identify<Who>,
): BoundStream => ({
  method,
  async *stream(input, caller, signal) {
    requireInput(method, input);
    const requireSession = async () => identify(method, caller);
    for await (const output of handle(input, await requireSession(), { signal, requireSession })) {
      yield create(method.output, output);
    }
  },
});

function requireInput(method: DescMethod, input: Message): void {
  if (!isMessage(input, method.input)) {
    throw new TypeError(`${method.name} takes a ${method.input.typeName}, not a ${(input as Message).$typeName}`);
  }
}

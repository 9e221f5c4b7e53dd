// The methods of an account service together with their handlers. Their callers need to know neither the message types nor who may call
// which method: messages are passed as bytes, the form in which they move between threads.
import {
  create,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type Message,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type AccountMethod, accountMethodOf } from "../account-methods.ts";
import type { Handlers, StreamCall } from "./handlers.ts";
import type { AnonymousCaller } from "./sign-in-handlers.ts";

export interface AccountCaller extends AnonymousCaller {
  /** A session's token; undefined if the service needs none. */
  readonly token: string | undefined;
  /** The id of the account that the call is meant for; undefined if the caller does not name one. */
  readonly namedAccount?: string | undefined;
  /** The `idempotency-key` header, as sent. */
  readonly idempotencyKey?: string | undefined;
}

export interface AccountCall {
  /** The method's full name, `quintet.account.v1.AccountService/GetUsage`. */
  readonly method: string;
  /** The input message, in Protobuf's binary form. */
  readonly input: Uint8Array;
  readonly caller: AccountCaller;
}

/** A method with its handler. It rejects with a Failure, or as the store does. */
export interface BoundMethod {
  readonly method: AccountMethod;
  /** Undefined for a streaming method. */
  readonly call?: (input: Uint8Array, caller: AccountCaller) => Promise<Uint8Array>;
  /** Undefined for a unary method. The signal aborts when the stream is over. */
  readonly stream?: (input: Uint8Array, caller: AccountCaller, signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

/**
 * Identifies the caller of a method for its handler. Rejects with a Failure if they may not call it. Called again while a stream continues.
 */
export type Identify<Who> = (method: AccountMethod, caller: AccountCaller) => Who | Promise<Who>;

// The handlers of a service, typed loosely for a loop over its methods. The compiler has checked their names and types.
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
): readonly BoundMethod[] {
  const byName = handlers as Readonly<Record<string, AnyHandler<Who> | AnyStreamHandler<Who> | undefined>>;
  return service.methods.flatMap((desc): readonly BoundMethod[] => {
    const handle = byName[desc.localName];
    if (handle === undefined) {
      return [];
    }
    const method = accountMethodOf(desc);
    switch (desc.methodKind) {
      case "unary":
        return [bindUnary(method, handle as AnyHandler<Who>, identify)];
      case "server_streaming":
        return [bindStream(method, handle as AnyStreamHandler<Who>, identify)];
      default:
        throw new TypeError(`${desc.name} takes a stream, which no account service does`);
    }
  });
}

const bindUnary = <Who>(method: AccountMethod, handle: AnyHandler<Who>, identify: Identify<Who>): BoundMethod => ({
  method,
  async call(bytes, caller) {
    const input = fromBinary(method.desc.input, bytes);
    return encoded(method.desc, await handle(input, await identify(method, caller)));
  },
});

const bindStream = <Who>(method: AccountMethod, handle: AnyStreamHandler<Who>, identify: Identify<Who>): BoundMethod => ({
  method,
  async *stream(bytes, caller, signal) {
    const input = fromBinary(method.desc.input, bytes);
    const requireSession = async () => identify(method, caller);
    for await (const output of handle(input, await requireSession(), { signal, requireSession })) {
      yield encoded(method.desc, output);
    }
  },
});

const encoded = ({ output }: DescMethod, message: MessageInitShape<DescMethodUnary["output"]>): Uint8Array =>
  toBinary(output, create(output, message));

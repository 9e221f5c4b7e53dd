// The methods of an account service together with their handlers. Their callers do not need to know who may call which method.
import { create, type DescMethodUnary, type DescService, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type { MemberRole } from "../../store/owner-records.ts";
import { type AccountMethod, accountMethodOf } from "../account-methods.ts";
import type { Handlers, StreamCall } from "./handlers.ts";
import type { AnonymousCaller } from "./sign-in-handlers.ts";

/** Who was admitted by the head of a call to a method that needs a session, and when. */
export interface AccountAdmission {
  /** The account that the call works on. */
  readonly accountId: string;
  /** The caller's own account. */
  readonly personId: string;
  /** What the caller may do with the account that the call works on. */
  readonly role: MemberRole;
  /** On the monotonic clock of the process. */
  readonly atMs: number;
}

export interface AccountCaller extends AnonymousCaller {
  /** A session's token; undefined if the service needs none. */
  readonly token: string | undefined;
  /** The id of the account that the call is meant for; undefined if the caller does not name one. */
  readonly namedAccount?: string | undefined;
  /** The `idempotency-key` header, as sent. */
  readonly idempotencyKey?: string | undefined;
  /** What `admit` has returned for this call. If it is left out, or the body came late, the caller is identified again. */
  readonly admission?: AccountAdmission | undefined;
}

export interface AccountCall {
  /** The method's full name, `quintet.account.v1.UsageService/GetUsage`. */
  readonly method: string;
  readonly input: Message;
  readonly caller: AccountCaller;
}

/** A method with its handler. It rejects with a Failure, or as the store does. */
export interface BoundMethod {
  readonly method: AccountMethod;
  /** Undefined for a streaming method. */
  readonly call?: (input: Message, caller: AccountCaller) => Promise<Message>;
  /** Undefined for a unary method. The signal aborts when the stream is over. */
  readonly stream?: (input: Message, caller: AccountCaller, signal: AbortSignal) => AsyncIterable<Message>;
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
  call: async (input, caller) => create(method.desc.output, await handle(input, await identify(method, caller))),
});

const bindStream = <Who>(method: AccountMethod, handle: AnyStreamHandler<Who>, identify: Identify<Who>): BoundMethod => ({
  method,
  async *stream(input, caller, signal) {
    // While the stream lasts, its caller may lose the session at any time.
    const requireSession = async () => identify(method, { ...caller, admission: undefined });
    for await (const output of handle(input, await identify(method, caller), { signal, requireSession })) {
      yield create(method.desc.output, output);
    }
  },
});

// A method of an account service together with its handler. Its caller needs to know neither the message types nor who may call the method.
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  isMessage,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
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
      if (!isMessage(input, method.input)) {
        throw new TypeError(`${method.name} takes a ${method.input.typeName}, not a ${input.$typeName}`);
      }
      return create(method.output, await handle(input, await identify(caller)));
    },
  };
}

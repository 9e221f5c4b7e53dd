// The shape of the account services' handlers, and what they make of the store's words. They run where the store is, which may be another
// thread than the one that serves: what they are told and what they answer can be sent from one to the other.
import type { DescMethodUnary, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { Failure } from "../../problem/failure.ts";
import { StoreConflict } from "../../store/store-errors.ts";
import { stateForbids } from "../refusals.ts";

/** Whoever has a session. */
export interface SignedIn {
  readonly accountId: string;
  /** The session's token. Goes nowhere but to the sessions. */
  readonly token: string;
}

/** One handler for each method of a service: from its input and whoever calls to its answer. They reject with a Failure, or as the store does. */
export type Handlers<Desc extends DescService, Who> = {
  readonly [Name in keyof Desc["method"]]: Desc["method"][Name] extends DescMethodUnary<infer Input, infer Output>
    ? (input: MessageShape<Input>, who: Who) => Promise<MessageInitShape<Output>>
    : never;
};

/** Does what the state of something may forbid: of what `subject`, a field of the input, names, or of the account. */
export async function unlessForbidden<Answer>(subject: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreConflict) {
      throw new Failure(stateForbids(subject, error.message));
    }
    throw error;
  }
}

/** There is no such thing in this account. */
export function notFound(what: string, id: string): Failure {
  return new Failure({ reason: "NOT_FOUND", message: `The account has no ${what} with the id ${id}.` });
}

// Who stands at the gate of the account services, as their handlers find it in the call's context.
import { type ContextKey, createContextKey } from "@connectrpc/connect";

/** A session, and whose it is. */
export interface SignedIn {
  readonly accountId: string;
  /** Its token. Goes nowhere but to the sessions. */
  readonly token: string;
}

/** A caller of the account services. */
export interface Visitor {
  /** The address of the connection; a proxy's where one stands between. */
  readonly peer: string;
  /** Undefined where the service needs no session. */
  readonly session: SignedIn | undefined;
  /** Whether a page of another origin makes the call. */
  readonly isForeignPage: boolean;
  /** Whether cookies are for secure connections alone. */
  readonly isSecure: boolean;
}

const nobody: Visitor = { peer: "", session: undefined, isForeignPage: true, isSecure: true };

/** Where a handler finds the visitor: `context.values.get(visitorKey)`. */
export const visitorKey: ContextKey<Visitor> = createContextKey(nobody, { description: "the visitor of an account service" });

// Who stands at the gate of the account services, as their handlers find it in the call's context.
import { type ContextKey, createContextKey } from "@connectrpc/connect";

/** A caller of the account services. */
export interface RequestContext {
  /** The address of the connection; a proxy's where one stands between. */
  readonly peer: string;
  /** The token of a session that lasts; undefined where the service needs none. Goes nowhere but to the account RPC. */
  readonly token: string | undefined;
  /** Whether a cookie holds it. */
  readonly hasCookie: boolean;
  /** Whether a page of another origin makes the call. */
  readonly isForeignPage: boolean;
  /** Whether cookies are for secure connections alone. */
  readonly isSecure: boolean;
}

const nobody: RequestContext = { peer: "", token: undefined, hasCookie: false, isForeignPage: true, isSecure: true };

/** Where a handler finds the visitor: `context.values.get(visitorKey)`. */
export const requestContextKey: ContextKey<RequestContext> = createContextKey(nobody, {
  description: "the visitor of an account service",
});

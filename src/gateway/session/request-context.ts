// The caller of an account service, as its handlers find them in the call's context.
import { type ContextKey, createContextKey } from "@connectrpc/connect";
import type { AccountAdmission } from "../../account/rpc/bound-method.ts";

export interface RequestContext {
  /** The caller's network address; behind an untrusted proxy, the proxy's. */
  readonly peer: string;
  /** The `user-agent` header: at most 200 printable characters; undefined if there is none. */
  readonly userAgent: string | undefined;
  /** The session's token; undefined if the method needs no session. It is passed to the account RPC and nowhere else. */
  readonly token: string | undefined;
  /** The id of the account that the caller wants to act for: at most 64 characters; undefined if it names none. */
  readonly namedAccount: string | undefined;
  /** The `idempotency-key` header: at most 64 characters; undefined if there is none. */
  readonly idempotencyKey: string | undefined;
  /** What the account RPC has returned when it admitted the call. */
  readonly admission: AccountAdmission | undefined;
  /** Whether the token was in a cookie. */
  readonly hasCookie: boolean;
  /** Whether a page from another origin makes the call. */
  readonly isForeignPage: boolean;
  /** Whether the caller uses TLS, so that cookies are set for secure connections only. */
  readonly isSecure: boolean;
}

const NOBODY: RequestContext = {
  peer: "",
  userAgent: undefined,
  token: undefined,
  namedAccount: undefined,
  idempotencyKey: undefined,
  admission: undefined,
  hasCookie: false,
  isForeignPage: true,
  isSecure: true,
};

/** Where a handler finds the caller: `context.values.get(requestContextKey)`. */
export const requestContextKey: ContextKey<RequestContext> = createContextKey(NOBODY, {
  description: "the caller of an account service",
});

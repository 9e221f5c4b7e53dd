// The caller of an account service, as its handlers find them in the call's context.
import { type ContextKey, createContextKey } from "@connectrpc/connect";

/** A caller of the account services. */
export interface RequestContext {
  /** The caller's address; behind a proxy that is not trusted, the proxy's. */
  readonly peer: string;
  /** What the program says that it is: at most 200 printable characters; undefined where it says nothing. */
  readonly userAgent: string | undefined;
  /** The session's token; undefined where the method needs no session. It is handed to the account RPC and to nothing else. */
  readonly token: string | undefined;
  /** Whether the token came in a cookie. */
  readonly hasCookie: boolean;
  /** Whether a page of another origin makes the call. */
  readonly isForeignPage: boolean;
  /** Whether the caller uses TLS, so that cookies are set for secure connections only. */
  readonly isSecure: boolean;
}

const NOBODY: RequestContext = {
  peer: "",
  userAgent: undefined,
  token: undefined,
  hasCookie: false,
  isForeignPage: true,
  isSecure: true,
};

/** Where a handler finds the caller: `context.values.get(requestContextKey)`. */
export const requestContextKey: ContextKey<RequestContext> = createContextKey(NOBODY, {
  description: "the caller of an account service",
});

// The account for which a call is made, so that accounts take turns and a busy account delays only itself, and its rate, so that a call is
// charged for the requests to upstreams that it causes.
import { type ContextKey, createContextKey } from "@connectrpc/connect";

/** The context key of the calling account's id: `context.values.get(callingAccountKey)`. Undefined if no key was required. */
export const callingAccountKey: ContextKey<string | undefined> = createContextKey<string | undefined>(undefined, {
  description: "the id of the account that calls",
});

/** The context key of a function that a service calls for each request that it sends to an upstream for the call. */
export const upstreamRequestKey: ContextKey<(() => void) | undefined> = createContextKey<(() => void) | undefined>(undefined, {
  description: "charges the call for a request to an upstream",
});

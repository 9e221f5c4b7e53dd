// The account for which a call is made, so that accounts take turns and a busy account delays only itself.
import { type ContextKey, createContextKey } from "@connectrpc/connect";

/** The context key of the calling account's id: `context.values.get(callingAccountKey)`. Undefined if no key was required. */
export const callingAccountKey: ContextKey<string | undefined> = createContextKey<string | undefined>(undefined, {
  description: "the id of the account that calls",
});

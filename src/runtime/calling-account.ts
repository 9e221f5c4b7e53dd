// The account that a call is made for, so that accounts take turns and a busy one only delays itself.
import { type ContextKey, createContextKey } from "@connectrpc/connect";

/** The context key of the calling account's id: `context.values.get(callingAccountKey)`. Undefined if no key was required. */
export const callingAccountKey: ContextKey<string | undefined> = createContextKey<string | undefined>(undefined, {
  description: "the id of the account that calls",
});

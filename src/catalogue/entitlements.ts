// What a plan allows beyond numbers of calls. A service reads it from the call's context and knows nothing of plans or keys.
import { type ContextKey, createContextKey } from "@connectrpc/connect";

/** What the caller's plan includes. Each service reads its own. */
export interface Entitlements {
  /** Token price: the most tokens in one call. */
  readonly tokensPerCallMax: number;
  /** Farkle: whether the answer has a breakdown. */
  readonly farkleBreakdown: boolean;
}

/** What a call has when no plan says otherwise: the least. */
export const leastEntitlements: Entitlements = { tokensPerCallMax: 3, farkleBreakdown: false };

/** Where a handler finds the caller's entitlements: `context.values.get(entitlementsKey)`. */
export const entitlementsKey: ContextKey<Entitlements> = createContextKey(leastEntitlements, {
  description: "the entitlements of the caller's plan",
});

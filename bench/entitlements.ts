// What the bench's customer may do: everything, wherever it is asked, so that all contenders answer the same.
import type { Entitlements } from "../src/catalogue/entitlements.ts";

/** More tokens in one call than any workload has, and the breakdown of a roll. */
export const benchEntitlements: Entitlements = { tokensPerCallMax: 100, farkleBreakdown: true };

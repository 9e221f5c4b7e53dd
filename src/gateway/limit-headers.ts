// The RateLimit header fields of draft-ietf-httpapi-ratelimit-headers, with two named policies: the plan's rate and its monthly quota.
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
import type { Plan } from "../catalogue/plan.ts";
import type { LimitState } from "../guard/guard.ts";
import { decimal } from "../runtime/decimal.ts";

/** The two header fields, by their lower-case names. */
export interface LimitHeaders {
  /**
   * The limits: `"second";q=5;w=1;quintet-burst=5, "month";q=20000;w=2592000`. The rate limit is a bucket that holds
   * `quintet-burst` requests and gets `q` more in each `w` seconds.
   */
  readonly "ratelimit-policy": string;
  /** How much of each limit is left (`r`), and in how many seconds there will be more (`t`): `"second";r=4;t=1, "month";r=19999;t=12345` */
  readonly ratelimit: string;
}

// Cached for each plan: the text changes only with the length of the month.
const policies = new WeakMap<Plan, { readonly monthSeconds: number; readonly text: string }>();

function policyOf(plan: Plan, monthSeconds: number): string {
  const known = policies.get(plan);
  if (known?.monthSeconds === monthSeconds) {
    return known.text;
  }
  const text = `"second";q=${plan.requestsPerSecond};w=1;quintet-burst=${plan.requestsPerSecond}, "month";q=${plan.callsPerMonth};w=${monthSeconds}`;
  policies.set(plan, { monthSeconds, text });
  return text;
}

/** What a response contains about its subscription's limits. */
export function limitHeaders(limits: LimitState): LimitHeaders {
  const { plan, secondRemaining, secondResetSeconds, monthRemaining, monthResetSeconds, monthSeconds } = limits;
  return {
    "ratelimit-policy": policyOf(plan, monthSeconds),
    ratelimit: `"second";r=${decimal(secondRemaining)};t=${secondResetSeconds}, "month";r=${decimal(monthRemaining)};t=${monthResetSeconds}`,
  };
}

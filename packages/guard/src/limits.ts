// What is left of a subscription's limits, and the header fields that say so.
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
import type { Plan } from "./access.ts";

/** What is left of a subscription's limits. */
export interface LimitState<OwnPlan extends Plan = Plan> {
  readonly plan: OwnPlan;
  /** Requests left this second. */
  readonly secondRemaining: number;
  /** Seconds until at least one more request is allowed. */
  readonly secondResetSeconds: number;
  /** Calls left this month. */
  readonly monthRemaining: number;
  /** Seconds until the month ends, UTC. */
  readonly monthResetSeconds: number;
  /** Seconds in this month, the policy's window. */
  readonly monthSeconds: number;
}

/** The two header fields, by their lower-case names. */
export interface LimitHeaders {
  /**
   * The limits: `"second";q=5;w=1;quintet-burst=5, "month";q=20000;w=2592000`. The rate limit is a bucket that holds `quintet-burst`
   * requests and gets `q` more in each `w` seconds.
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

/** What a response says about its subscription's limits. */
export function limitHeaders(limits: LimitState): LimitHeaders {
  const { plan, secondRemaining, secondResetSeconds, monthRemaining, monthResetSeconds, monthSeconds } = limits;
  return {
    "ratelimit-policy": policyOf(plan, monthSeconds),
    ratelimit: `"second";r=${decimal(secondRemaining)};t=${secondResetSeconds}, "month";r=${decimal(monthRemaining)};t=${monthResetSeconds}`,
  };
}

// Writes counters as strings. V8 caches the string of each number that it formats, which is useless for counters and makes work for the
// garbage collector.
const THOUSAND = 1000;
const SMALL = Array.from({ length: THOUSAND }, (_, value) => String(value));
const LAST_THREE_DIGITS = SMALL.map((text) => text.padStart(3, "0"));

/** The decimal digits of a whole number of at least 0. */
export function decimal(value: number): string {
  return value < THOUSAND
    ? (SMALL[value] as string)
    : // The digits before the last three change only every thousand numbers.
      `${Math.floor(value / THOUSAND)}${LAST_THREE_DIGITS[value % THOUSAND]}`;
}

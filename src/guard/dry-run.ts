// The admission of a dry run: a caller asks whether a call would be admitted. It counts against the rate limit, so that dry runs
// are limited too, but not against the quota, and no usage is recorded. The key counts as used, so its owner notices if a stranger tries
// out a key that has leaked.
import { entitlementsKey } from "../catalogue/entitlements.ts";
import { type Day, hourOf } from "../runtime/calendar.ts";
import type { AdmissionOptions, PendingCall } from "./admission.ts";
import type { Admitted, CallerContext, Decision, LimitState, Refused } from "./guard.ts";
import type { CallerIdentity } from "./keys/access.ts";

/** A dry run whose call would be admitted. */
export class DryRunAdmission implements Admitted {
  readonly admitted = true;
  readonly limits: LimitState;
  readonly #call: PendingCall;
  readonly #day: Day;
  readonly #options: AdmissionOptions;

  constructor(call: PendingCall, limits: LimitState, day: Day, options: AdmissionOptions) {
    this.#call = call;
    this.#day = day;
    this.limits = limits;
    this.#options = options;
  }

  get identity(): CallerIdentity {
    return this.#call.principal.identity;
  }

  get caller(): CallerContext {
    return { key: entitlementsKey, value: this.#call.principal.plan.entitlements };
  }

  /** Nothing was charged that could be kept or refunded. */
  settle(): void {
    const { principal, request, nowMs } = this.#call;
    this.#options.usage.count(principal, request.method, this.#day.day, hourOf(this.#day, nowMs), "OK", 0);
  }

  renew(): Decision {
    return this.#options.guard.admit(this.#call.request);
  }

  watch(onRefused: (refused: Refused) => void): () => void {
    const { principal, request } = this.#call;
    return this.#options.callers.add(principal.accountId, request, onRefused);
  }
}

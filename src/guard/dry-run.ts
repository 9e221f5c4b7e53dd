// The admission of a dry run: a caller asks what would become of a call. It costs a request of this second, so that asking is bounded. Of the
// month it takes nothing, and no usage is counted. But the key was used: whoever tries out one that they found is seen by its owner.
import { entitlementsKey } from "../catalogue/entitlements.ts";
import type { AdmissionDependencies, PendingCall } from "./admission.ts";
import type { Admitted, CallerContext, Decision, LimitState, Refused } from "./guard.ts";
import type { CallerIdentity } from "./keys/access.ts";
import { type Day, hourOf } from "./quota/month.ts";

/** A dry run whose call would be admitted. */
export class DryRunAdmission implements Admitted {
  readonly admitted = true;
  readonly limits: LimitState;
  readonly #call: PendingCall;
  readonly #day: Day;
  readonly #dependencies: AdmissionDependencies;

  constructor(call: PendingCall, limits: LimitState, day: Day, dependencies: AdmissionDependencies) {
    this.#call = call;
    this.#day = day;
    this.limits = limits;
    this.#dependencies = dependencies;
  }

  get identity(): CallerIdentity {
    return this.#call.principal.identity;
  }

  get caller(): CallerContext {
    return { key: entitlementsKey, value: this.#call.principal.plan.entitlements };
  }

  /** Nothing was charged that could be kept or given back. */
  settle(): void {
    const { principal, request, nowMs } = this.#call;
    this.#dependencies.usage.count(principal, request.method, this.#day.day, hourOf(this.#day, nowMs), "OK", 0);
  }

  renew(): Decision {
    return this.#dependencies.guard.admit(this.#call.request);
  }

  watch(onRefused: (refused: Refused) => void): () => void {
    const { principal, request } = this.#call;
    return this.#dependencies.callers.add(principal.accountId, request, onRefused);
  }
}

// An admitted call: what its caller may know of the limits, and the receipt that is settled when it ends.
import { entitlementsKey } from "../catalogue/entitlements.ts";
import { REASONS, type Reason } from "../problem/reason.ts";
import type { CallerWatch } from "./caller-watch.ts";
import type { AdmissionRequest, Admitted, CallerContext, Guard, LimitState, Refused } from "./guard.ts";
import type { Principal } from "./keys/access.ts";
import type { MonthLease, Spent } from "./quota/month-lease.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** What all admissions of a thread work with. */
export interface AdmissionDependencies {
  readonly usage: UsageCounter;
  readonly guard: Guard;
  readonly callers: CallerWatch;
}

/** A call that has been charged. */
export class Admission implements Admitted {
  readonly admitted = true;
  readonly principal: Principal;
  readonly limits: LimitState;
  readonly #request: AdmissionRequest;
  readonly #spent: Spent;
  readonly #allowance: MonthLease;
  readonly #usage: UsageCounter;
  readonly #guard: Guard;
  readonly #callers: CallerWatch;
  #settled = false;

  constructor(
    principal: Principal,
    limits: LimitState,
    request: AdmissionRequest,
    spent: Spent,
    allowance: MonthLease,
    { usage, guard, callers }: AdmissionDependencies,
  ) {
    this.principal = principal;
    this.limits = limits;
    this.#request = request;
    this.#spent = spent;
    this.#allowance = allowance;
    this.#usage = usage;
    this.#guard = guard;
    this.#callers = callers;
  }

  /** What the plan includes. */
  get caller(): CallerContext {
    return { key: entitlementsKey, value: this.principal.plan.entitlements };
  }

  settle(outcome: "OK" | Reason): void {
    if (this.#settled) {
      return;
    }
    this.#settled = true;
    this.#allowance.end(this.#spent, outcome !== "OK" && !REASONS[outcome].charged);
    this.#usage.count(this.principal, this.#request.method, this.#spent.day.day, outcome);
  }

  renew(): Admitted | Refused | Promise<Admitted | Refused> {
    return this.#guard.admit(this.#request);
  }

  watch(onRefused: (refused: Refused) => void): () => void {
    return this.#callers.add(this.principal.accountId, this.#request, onRefused);
  }
}

// An admitted call: its limits for the response headers, and the charge that is settled when the call ends.
import { entitlementsKey } from "../catalogue/entitlements.ts";
import { REASONS, type Reason } from "../problem/reason.ts";
import { hourOf } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { CallerWatch } from "./caller-watch.ts";
import type { AdmissionRequest, Admitted, CallerContext, Decision, Guard, LimitState, Refused } from "./guard.ts";
import type { CallerIdentity, Principal } from "./keys/access.ts";
import type { MonthLease, Spent } from "./quota/month-lease.ts";
import type { RateLimiter } from "./rate/bucket.ts";
import type { UsageCounter } from "./usage-counter.ts";

export interface AdmissionOptions {
  readonly usage: UsageCounter;
  readonly guard: Guard;
  readonly callers: CallerWatch;
  readonly rate: Pick<RateLimiter, "charge">;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** A call on its way through the guard: created once its key is authorized, and passed from step to step. */
export interface PendingCall {
  readonly request: AdmissionRequest;
  readonly principal: Principal;
  /** Its subscription's monthly quota. */
  readonly lease: MonthLease;
  /** The wall clock after the last wait, in milliseconds since the epoch. */
  nowMs: number;
}

/** A call that has been charged. */
export class Admission implements Admitted {
  readonly admitted = true;
  readonly limits: LimitState;
  readonly #call: PendingCall;
  readonly #spent: Spent;
  readonly #options: AdmissionOptions;
  #settled = false;
  #requests = 0;

  constructor(call: PendingCall, limits: LimitState, spent: Spent, options: AdmissionOptions) {
    this.#call = call;
    this.limits = limits;
    this.#spent = spent;
    this.#options = options;
  }

  get principal(): Principal {
    return this.#call.principal;
  }

  get identity(): CallerIdentity {
    return this.#call.principal.identity;
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
    const { lease, principal, request, nowMs } = this.#call;
    const { day } = this.#spent;
    lease.end(this.#spent, outcome !== "OK" && !REASONS[outcome].charged);
    this.#options.usage.count(principal, request.method, day.day, hourOf(day, nowMs), outcome);
  }

  chargeRequest(): void {
    const { lease, principal } = this.#call;
    const { rate, clock } = this.#options;
    this.#requests++;
    // Further requests of a stream belong to its renewals.
    if (this.#requests > 1 && !this.#settled) {
      rate.charge(lease.slot, principal.plan.requestsPerSecond, clock.monotonicMs(), lease.name, 1);
    }
  }

  renew(): Decision {
    return this.#options.guard.admit(this.#call.request);
  }

  watch(onRefused: (refused: Refused) => void): () => void {
    return this.#options.callers.add(this.principal.accountId, this.#call.request, onRefused);
  }
}

// Charges an authorized call: first to the rate limit, then to the monthly quota. Both are charged, or neither is. If the buckets
// and the lease are in memory, it decides immediately.
import type { LimitState } from "@quintet/guard";
import { entitlementsKey } from "../catalogue/entitlements.ts";
import type { Plan } from "../catalogue/plan.ts";
import { REASONS, type Reason } from "../problem/reason.ts";
import { type Calendar, type Day, hourOf, monthLeftMs } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { NodeStatus } from "../store/node-status.ts";
import type { UsageCounter } from "./batched-counts.ts";
import type { CallerWatch } from "./caller-watch.ts";
import type { AdmissionRequest, Admitted, CallerContext, Decision, Guard, Refused } from "./guard.ts";
import type { Access, CallerIdentity, Principal } from "./keys/access.ts";
import type { MonthLease, MonthLeases, Spent } from "./quota/month-lease.ts";
import type { RateLimiter, RateTake } from "./rate/bucket.ts";
import { type RefusedSeconds, rateNeeded } from "./rate/refused-seconds.ts";
import { limitsUnavailable, quotaExceeded, rateLimited, refused } from "./refusals.ts";

// An admitted call: its limits for the response headers, and the charge that is settled when the call ends.
interface AdmissionOptions {
  readonly usage: UsageCounter;
  readonly guard: Guard;
  readonly callers: CallerWatch;
  readonly rate: Pick<RateLimiter, "charge">;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** A call on its way through the guard: created once its key is authorized, and passed from step to step. */
interface PendingCall {
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
  readonly limits: LimitState<Plan>;
  readonly #call: PendingCall;
  readonly #spent: Spent;
  readonly #options: AdmissionOptions;
  #settled = false;
  #requests = 0;

  constructor(call: PendingCall, limits: LimitState<Plan>, spent: Spent, options: AdmissionOptions) {
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

/** A dry run whose call would be admitted. */
class DryRunAdmission implements Admitted {
  readonly admitted = true;
  readonly limits: LimitState<Plan>;
  readonly #call: PendingCall;
  readonly #day: Day;
  readonly #options: AdmissionOptions;

  constructor(call: PendingCall, limits: LimitState<Plan>, day: Day, options: AdmissionOptions) {
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

export interface LimitChargerOptions {
  readonly rate: RateLimiter;
  readonly leases: MonthLeases;
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly refusedSeconds: RefusedSeconds;
  readonly nodeStatus: NodeStatus;
}

export class LimitCharger {
  readonly #options: LimitChargerOptions;
  readonly #admission: AdmissionOptions;

  constructor(options: LimitChargerOptions, admission: AdmissionOptions) {
    this.#options = options;
    this.#admission = admission;
  }

  /** Charges a call whose access was checked at `nowMs`. */
  charge({ principal, allowanceKey, epoch }: Access, request: AdmissionRequest, nowMs: number): Decision {
    const { leases, clock } = this.#options;
    const lease = leases.of(allowanceKey, principal.subscriptionId, principal.plan, epoch);
    // On first use, a thread that does not own the leases asks the one that does.
    return lease instanceof Promise
      ? lease.then((found) => this.#begin(request, principal, found, clock.nowMs()))
      : this.#begin(request, principal, lease, nowMs);
  }

  #begin(request: AdmissionRequest, principal: Principal, lease: MonthLease | undefined, nowMs: number): Decision {
    return lease === undefined
      ? refused(limitsUnavailable(principal.service, principal.plan), undefined, principal.identity)
      : this.#chargeRate({ request, principal, lease, nowMs });
  }

  #chargeRate(call: PendingCall): Decision {
    const { rate, clock } = this.#options;
    const { lease, principal } = call;
    const take = rate.take(lease.slot, principal.plan.requestsPerSecond, clock.monotonicMs(), lease.name);
    // Buckets in memory decide immediately; those that all nodes share do not.
    if (take instanceof Promise) {
      return take.then((taken) => {
        call.nowMs = clock.nowMs();
        return this.#chargeMonth(call, taken);
      });
    }
    return this.#chargeMonth(call, take);
  }

  #chargeMonth(call: PendingCall, take: RateTake): Decision {
    const { lease } = call;
    const day = this.#options.calendar.todayAt(call.nowMs);
    if (!take.taken) {
      return this.#refuseByRate(call, take, day);
    }
    if (call.request.isDryRun) {
      return this.#checkMonth(call, take, day);
    }
    const spent = lease.spend(day);
    if (spent !== undefined) {
      return this.#admit(call, take, spent);
    }
    return lease.isExhausted(day) ? this.#refuseMonth(call, take, true) : this.#chargeMonthLater(call, take);
  }

  // Whether the quota would admit a dry run, which is not charged.
  #checkMonth(call: PendingCall, take: RateTake, day: Day): Decision {
    const { lease, principal } = call;
    const monthRemaining = lease.monthRemaining(day);
    if (monthRemaining === undefined) {
      return this.#checkMonthLater(call, take);
    }
    return monthRemaining === 0 || lease.isExhausted(day)
      ? this.#refuseMonth(call, take, true)
      : new DryRunAdmission(call, limitState(principal.plan, take, monthRemaining, day, call.nowMs), day, this.#admission);
  }

  async #checkMonthLater(call: PendingCall, take: RateTake): Promise<Admitted | Refused> {
    const { calendar, clock } = this.#options;
    await call.lease.awaitStatus();
    call.nowMs = clock.nowMs();
    const day = calendar.today();
    return call.lease.monthRemaining(day) === undefined ? this.#refuseMonth(call, take, false) : this.#checkMonth(call, take, day);
  }

  async #chargeMonthLater(call: PendingCall, take: RateTake): Promise<Admitted | Refused> {
    const spent = await call.lease.spendLater();
    call.nowMs = this.#options.clock.nowMs();
    return typeof spent === "string" ? this.#refuseMonth(call, take, spent === "exhausted") : this.#admit(call, take, spent);
  }

  #admit(call: PendingCall, take: RateTake, spent: Spent): Admitted {
    const { lease, principal, nowMs } = call;
    lease.begin(spent);
    const monthRemaining = lease.monthRemaining(spent.day) ?? spent.left;
    return new Admission(call, limitState(principal.plan, take, monthRemaining, spent.day, nowMs), spent, this.#admission);
  }

  #refuseByRate(call: PendingCall, take: RateTake, day: Day): Decision {
    const { principal, lease, nowMs } = call;
    const { plan } = principal;
    // Whether the plan would have allowed it is unknown.
    const problem = take.unavailable ? limitsUnavailable(plan.service, plan) : rateLimited(plan, take.nextMs);
    const needed = take.unavailable ? {} : this.#rateNeeded(call);
    const refuse = (monthRemaining: number | undefined): Refused => ({
      ...refused(
        problem,
        monthRemaining === undefined ? undefined : limitState(plan, take, monthRemaining, day, nowMs),
        principal.identity,
      ),
      ...needed,
    });
    const monthRemaining = lease.monthRemaining(day);
    // During the first calls of a month, the store is still being queried for what is left.
    return monthRemaining === undefined
      ? lease.awaitStatus().then(() => refuse(lease.monthRemaining(day)))
      : refuse(monthRemaining);
  }

  // The request is refunded to the rate limit. `isExhausted` is false if the store could not be queried.
  #refuseMonth(call: PendingCall, take: RateTake, isExhausted: boolean): Refused {
    const { principal, lease } = call;
    const { rate, calendar, clock } = this.#options;
    const { plan } = principal;
    rate.refund(lease.slot, plan.requestsPerSecond, lease.name, take);
    const nowMs = clock.nowMs();
    const day = calendar.today();
    const monthRemaining = isExhausted ? 0 : lease.monthRemaining(day);
    return {
      ...refused(
        isExhausted ? quotaExceeded(plan, day, monthLeftMs(day, nowMs)) : limitsUnavailable(plan.service, plan),
        monthRemaining === undefined
          ? undefined
          : limitState(plan, { ...take, remaining: take.remaining + 1 }, monthRemaining, day, nowMs),
        principal.identity,
      ),
      // A call that the quota refuses does not cost a token of the rate limit.
      ...(isExhausted && this.#rateNeeded(call)),
    };
  }

  #rateNeeded({ principal, lease, request }: PendingCall): Pick<Refused, "rateNeeded"> {
    if (request.isDryRun) {
      return {};
    }
    const { refusedSeconds, nodeStatus, clock } = this.#options;
    const refused = refusedSeconds.count(lease.slot, clock.monotonicMs());
    return { rateNeeded: rateNeeded(principal.plan.requestsPerSecond, refused, nodeStatus.aliveNodes) };
  }
}

/**
 * What is left of a subscription's limits at `nowMs` of the wall clock. `take`: the decision of the rate limit. `monthRemaining`: calls.
 */
function limitState(plan: Plan, take: RateTake, monthRemaining: number, day: Day, nowMs: number): LimitState<Plan> {
  return {
    plan,
    secondRemaining: take.remaining,
    secondResetSeconds: Math.ceil(take.nextMs / 1000),
    monthRemaining,
    monthResetSeconds: Math.ceil(monthLeftMs(day, nowMs) / 1000),
    monthSeconds: day.monthSeconds,
  };
}

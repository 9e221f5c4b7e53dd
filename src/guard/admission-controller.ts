// The guard: one decision on a call's headers alone, key → account → subscription → this second → this month. Both limits are charged
// together or not at all. Where the key is remembered and a lease is in memory the answer is given at once, without asking anybody.

import type { Plan } from "../catalogue/plan.ts";
import { internalProblem, type Problem } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { NodeStatus } from "../store/node-status.ts";
import { Admission, type AdmissionDependencies } from "./admission.ts";
import { CallerWatch } from "./caller-watch.ts";
import type { AdmissionRequest, Admitted, Guard, LimitState, Refused } from "./guard.ts";
import { type Access, accessOf, type KnownKey, type Principal } from "./keys/access.ts";
import type { Credentials } from "./keys/credentials.ts";
import { parseKey } from "./keys/key.ts";
import { keyMalformed, keyMissing, keyUnknown } from "./keys/key-refusals.ts";
import { limitState } from "./limit-state.ts";
import { type Calendar, type Day, monthLeftMs } from "./quota/month.ts";
import type { MonthLease, MonthLeases, Spent } from "./quota/month-lease.ts";
import type { RateLimiter, RateTake } from "./rate/bucket.ts";
import { keyStatusUnknown, limitsUnavailable, quotaExceeded, rateLimited, shuttingDown } from "./refusals.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** What admission works with. */
export interface AdmissionControllerDependencies {
  readonly credentials: Credentials;
  readonly rate: RateLimiter;
  readonly allowances: MonthLeases;
  readonly usage: UsageCounter;
  readonly nodeStatus: NodeStatus;
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly log: Log;
}

type Decision = Admitted | Refused | Promise<Admitted | Refused>;

const refused = (problem: Problem, limits?: LimitState): Refused =>
  limits === undefined ? { admitted: false, problem } : { admitted: false, problem, limits };

/** Decides on calls. */
export class AdmissionController implements Guard {
  readonly #dependencies: AdmissionControllerDependencies;
  readonly #admission: AdmissionDependencies;
  #stopped = false;

  constructor(dependencies: AdmissionControllerDependencies) {
    this.#dependencies = dependencies;
    const { usage, clock, nodeStatus } = dependencies;
    const callers = new CallerWatch({ clock, nodeStatus, check: (request) => this.#check(request) });
    this.#admission = { usage, guard: this, callers };
  }

  /** An account has changed, or any may have. */
  changed(accountId?: string): void {
    this.#admission.callers.changed(accountId);
  }

  /** Refuses every call from now on. */
  stop(): void {
    this.#stopped = true;
  }

  admit(request: AdmissionRequest): Decision {
    try {
      const decision = this.#admit(request);
      return decision instanceof Promise ? decision.catch((error: unknown) => this.#defect(error)) : decision;
    } catch (error) {
      return this.#defect(error);
    }
  }

  #admit(request: AdmissionRequest): Decision {
    if (this.#stopped) {
      return refused(shuttingDown());
    }
    if (this.#dependencies.nodeStatus.isStale(this.#dependencies.clock.monotonicMs())) {
      return this.#refuseStale(request);
    }
    const remembered = request.key === undefined ? undefined : this.#dependencies.credentials.remembered(request.key);
    if (remembered !== undefined) {
      return remembered === "unknown" ? refused(keyUnknown()) : this.#admitCaller(remembered, request);
    }
    const parsed = parseKey(request.key);
    switch (parsed.kind) {
      case "missing":
        return refused(keyMissing());
      case "malformed":
        return refused(keyMalformed(parsed.message));
      case "ok":
        return this.#admitUncachedKey(parsed.key, request);
    }
  }

  // What is no key at all is told so all the same: that needs nobody to be asked.
  #refuseStale({ key, service }: AdmissionRequest): Refused {
    const parsed = parseKey(key);
    switch (parsed.kind) {
      case "missing":
        return refused(keyMissing());
      case "malformed":
        return refused(keyMalformed(parsed.message));
      case "ok":
        return refused(keyStatusUnknown(service));
    }
  }

  async #admitUncachedKey(key: string, request: AdmissionRequest): Promise<Admitted | Refused> {
    const found = await this.#dependencies.credentials.find(key);
    switch (found) {
      case "unknown":
        return refused(keyUnknown());
      case "unavailable":
        return refused(limitsUnavailable(request.service));
      default:
        return this.#admitCaller(found, request);
    }
  }

  // Looks at the key alone, and charges nothing.
  async #check({ key = "", service }: AdmissionRequest): Promise<Refused | undefined> {
    const { credentials, clock, nodeStatus } = this.#dependencies;
    if (nodeStatus.isStale(clock.monotonicMs())) {
      return refused(keyStatusUnknown(service));
    }
    const found = credentials.remembered(key) ?? (await credentials.find(key));
    switch (found) {
      case "unknown":
        return refused(keyUnknown());
      case "unavailable":
        return refused(limitsUnavailable(service));
    }
    const access = accessOf(found, service, clock.nowMs());
    return "reason" in access ? refused(access) : undefined;
  }

  #admitCaller(caller: KnownKey, request: AdmissionRequest): Decision {
    const nowMs = this.#dependencies.clock.nowMs();
    const access = accessOf(caller, request.service, nowMs);
    return "reason" in access ? refused(access) : this.#charge(access, request, nowMs);
  }

  #charge({ principal, allowanceKey, epoch }: Access, request: AdmissionRequest, nowMs: number): Decision {
    if (this.#stopped) {
      return refused(shuttingDown());
    }
    const allowance = this.#dependencies.allowances.of(allowanceKey, principal.subscriptionId, principal.plan, epoch);
    // A thread that does not own the leases asks the first time.
    return allowance instanceof Promise
      ? allowance.then((found) => this.#chargeSecond(principal, request, found, this.#dependencies.clock.nowMs()))
      : this.#chargeSecond(principal, request, allowance, nowMs);
  }

  #chargeSecond(principal: Principal, request: AdmissionRequest, allowance: MonthLease | undefined, nowMs: number): Decision {
    const { plan, service } = principal;
    if (allowance === undefined) {
      return refused(limitsUnavailable(service, plan));
    }
    const monotonicMs = this.#dependencies.clock.monotonicMs();
    const take = this.#dependencies.rate.take(allowance.slot, plan.requestsPerSecond, monotonicMs, allowance.name);
    // Buckets in memory answer at once; those that all nodes share do not.
    return take instanceof Promise
      ? take.then((taken) => this.#chargeMonth(principal, request, allowance, taken, this.#dependencies.clock.nowMs()))
      : this.#chargeMonth(principal, request, allowance, take, nowMs);
  }

  #chargeMonth(principal: Principal, request: AdmissionRequest, allowance: MonthLease, take: RateTake, nowMs: number): Decision {
    const { plan } = principal;
    const day = this.#dependencies.calendar.today();
    if (!take.taken) {
      return this.#refuseRate(plan, allowance, take, day, nowMs);
    }
    const spent = allowance.spend(day);
    if (spent !== undefined) {
      return this.#admitted(principal, request, allowance, take, spent, nowMs);
    }
    if (allowance.isExhausted(day)) {
      return this.#refuseMonth(plan, allowance, take, day, true);
    }
    return this.#chargeLater(principal, request, allowance, take);
  }

  async #chargeLater(
    principal: Principal,
    request: AdmissionRequest,
    allowance: MonthLease,
    take: RateTake,
  ): Promise<Admitted | Refused> {
    const spent = await allowance.spendLater();
    const nowMs = this.#dependencies.clock.nowMs();
    return typeof spent === "string"
      ? this.#refuseMonth(principal.plan, allowance, take, this.#dependencies.calendar.today(), spent === "exhausted")
      : this.#admitted(principal, request, allowance, take, spent, nowMs);
  }

  #admitted(
    principal: Principal,
    request: AdmissionRequest,
    allowance: MonthLease,
    take: RateTake,
    spent: Spent,
    nowMs: number,
  ): Admitted {
    allowance.begin(spent);
    const monthRemaining = allowance.monthRemaining(spent.day) ?? spent.left;
    const limits = limitState(principal.plan, take, monthRemaining, spent.day, nowMs);
    return new Admission(principal, limits, request, spent, allowance, this.#admission);
  }

  #refuseRate(plan: Plan, allowance: MonthLease, take: RateTake, day: Day, nowMs: number): Refused | Promise<Refused> {
    const problem = rateLimited(plan, take.nextMs);
    const monthRemaining = allowance.monthRemaining(day);
    if (monthRemaining !== undefined) {
      return refused(problem, limitState(plan, take, monthRemaining, day, nowMs));
    }
    // The first calls of a month: what is left of it is being asked.
    return allowance.awaitStatus().then(() => {
      const learnt = allowance.monthRemaining(day);
      return refused(problem, learnt === undefined ? undefined : limitState(plan, take, learnt, day, nowMs));
    });
  }

  #refuseMonth(plan: Plan, allowance: MonthLease, take: RateTake, day: Day, exhausted: boolean): Refused {
    this.#dependencies.rate.putBack(allowance.slot, plan.requestsPerSecond, allowance.name, take);
    const nowMs = this.#dependencies.clock.nowMs();
    const remaining = { ...take, remaining: take.remaining + 1 };
    const monthRemaining = exhausted ? 0 : allowance.monthRemaining(day);
    return refused(
      exhausted ? quotaExceeded(plan, day, monthLeftMs(day, nowMs)) : limitsUnavailable(plan.service, plan),
      monthRemaining === undefined ? undefined : limitState(plan, remaining, monthRemaining, day, nowMs),
    );
  }

  #defect(error: unknown): Refused {
    this.#dependencies.log.error({ err: error }, "The guard has failed");
    return refused(internalProblem(error));
  }
}

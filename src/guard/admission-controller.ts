// The guard: one decision on a call's headers alone, key → account → subscription → this second → this month. Both limits are charged
// together or not at all. Where the key is remembered and a lease is in memory the answer is given at once, without asking anybody.

import type { Plan } from "../catalogue/plan.ts";
import { internalProblem, type Problem } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { NodeStatus } from "../store/node-status.ts";
import { type Access, accessOf, type Caller } from "./access.ts";
import { Admission, type AdmissionMeans } from "./admission.ts";
import type { Admitted, Guard, Knock, LimitState, Principal, Refused } from "./guard.ts";
import { CallerWatch } from "./keys/caller-watch.ts";
import type { Credentials } from "./keys/credentials.ts";
import { parseKey } from "./keys/key.ts";
import { limitState } from "./limit-state.ts";
import { type Calendar, type Day, monthLeftMs } from "./quota/month.ts";
import type { MonthLease, MonthLeases, Spent } from "./quota/month-lease.ts";
import type { RateLimiter, RateTake } from "./rate/bucket.ts";
import {
  changesUnheard,
  keyMalformed,
  keyMissing,
  keyUnknown,
  limitsUnavailable,
  quotaExceeded,
  rateLimited,
  shuttingDown,
} from "./refusals.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** What admission works with. */
export interface AdmitterMeans {
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
export class Admitter implements Guard {
  readonly #means: AdmitterMeans;
  readonly #admission: AdmissionMeans;
  #stopped = false;

  constructor(means: AdmitterMeans) {
    this.#means = means;
    const { usage, clock, nodeStatus } = means;
    const callers = new CallerWatch({ clock, nodeStatus, check: (knock) => this.#check(knock) });
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

  admit(knock: Knock): Decision {
    try {
      const decision = this.#admit(knock);
      return decision instanceof Promise ? decision.catch((error: unknown) => this.#defect(error)) : decision;
    } catch (error) {
      return this.#defect(error);
    }
  }

  #admit(knock: Knock): Decision {
    if (this.#stopped) {
      return refused(shuttingDown());
    }
    if (this.#means.nodeStatus.isStale(this.#means.clock.monotonicMs())) {
      return this.#refuseUnheard(knock);
    }
    const remembered = knock.key === undefined ? undefined : this.#means.credentials.remembered(knock.key);
    if (remembered !== undefined) {
      return remembered === "unknown" ? refused(keyUnknown()) : this.#admitCaller(remembered, knock);
    }
    const parsed = parseKey(knock.key);
    switch (parsed.kind) {
      case "missing":
        return refused(keyMissing());
      case "malformed":
        return refused(keyMalformed(parsed.message));
      case "ok":
        return this.#admitStranger(parsed.key, knock);
    }
  }

  // What is no key at all is told so all the same: that needs nobody to be asked.
  #refuseUnheard({ key, service }: Knock): Refused {
    const parsed = parseKey(key);
    switch (parsed.kind) {
      case "missing":
        return refused(keyMissing());
      case "malformed":
        return refused(keyMalformed(parsed.message));
      case "ok":
        return refused(changesUnheard(service));
    }
  }

  async #admitStranger(key: string, knock: Knock): Promise<Admitted | Refused> {
    const found = await this.#means.credentials.find(key);
    switch (found) {
      case "unknown":
        return refused(keyUnknown());
      case "unavailable":
        return refused(limitsUnavailable(knock.service));
      default:
        return this.#admitCaller(found, knock);
    }
  }

  // Looks at the key alone, and charges nothing.
  async #check({ key = "", service }: Knock): Promise<Refused | undefined> {
    const { credentials, clock, nodeStatus } = this.#means;
    if (nodeStatus.isStale(clock.monotonicMs())) {
      return refused(changesUnheard(service));
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

  #admitCaller(caller: Caller, knock: Knock): Decision {
    const nowMs = this.#means.clock.nowMs();
    const access = accessOf(caller, knock.service, nowMs);
    return "reason" in access ? refused(access) : this.#charge(access, knock, nowMs);
  }

  #charge({ principal, allowanceKey, epoch }: Access, knock: Knock, nowMs: number): Decision {
    if (this.#stopped) {
      return refused(shuttingDown());
    }
    const allowance = this.#means.allowances.of(allowanceKey, principal.subscriptionId, principal.plan, epoch);
    // A thread that does not own the leases asks the first time.
    return allowance instanceof Promise
      ? allowance.then((found) => this.#chargeSecond(principal, knock, found, this.#means.clock.nowMs()))
      : this.#chargeSecond(principal, knock, allowance, nowMs);
  }

  #chargeSecond(principal: Principal, knock: Knock, allowance: MonthLease | undefined, nowMs: number): Decision {
    const { plan, service } = principal;
    if (allowance === undefined) {
      return refused(limitsUnavailable(service, plan));
    }
    const monotonicMs = this.#means.clock.monotonicMs();
    const take = this.#means.rate.take(allowance.slot, plan.requestsPerSecond, monotonicMs, allowance.name);
    // Buckets in memory answer at once; those that all nodes share do not.
    return take instanceof Promise
      ? take.then((taken) => this.#chargeMonth(principal, knock, allowance, taken, this.#means.clock.nowMs()))
      : this.#chargeMonth(principal, knock, allowance, take, nowMs);
  }

  #chargeMonth(principal: Principal, knock: Knock, allowance: MonthLease, take: RateTake, nowMs: number): Decision {
    const { plan } = principal;
    const day = this.#means.calendar.today();
    if (!take.taken) {
      return this.#refuseRate(plan, allowance, take, day, nowMs);
    }
    const spent = allowance.spend(day);
    if (spent !== undefined) {
      return this.#admitted(principal, knock, allowance, take, spent, nowMs);
    }
    if (allowance.isExhausted(day)) {
      return this.#refuseMonth(plan, allowance, take, day, true);
    }
    return this.#chargeLater(principal, knock, allowance, take);
  }

  async #chargeLater(principal: Principal, knock: Knock, allowance: MonthLease, take: RateTake): Promise<Admitted | Refused> {
    const spent = await allowance.spendLater();
    const nowMs = this.#means.clock.nowMs();
    return typeof spent === "string"
      ? this.#refuseMonth(principal.plan, allowance, take, this.#means.calendar.today(), spent === "exhausted")
      : this.#admitted(principal, knock, allowance, take, spent, nowMs);
  }

  #admitted(principal: Principal, knock: Knock, allowance: MonthLease, take: RateTake, spent: Spent, nowMs: number): Admitted {
    allowance.begin(spent);
    const monthRemaining = allowance.monthRemaining(spent.day) ?? spent.left;
    const limits = limitState(principal.plan, take, monthRemaining, spent.day, nowMs);
    return new Admission(principal, limits, knock, spent, allowance, this.#admission);
  }

  #refuseRate(plan: Plan, allowance: MonthLease, take: RateTake, day: Day, nowMs: number): Refused | Promise<Refused> {
    const problem = rateLimited(plan, take.nextMs);
    const monthRemaining = allowance.monthRemaining(day);
    if (monthRemaining !== undefined) {
      return refused(problem, limitState(plan, take, monthRemaining, day, nowMs));
    }
    // The first calls of a month: what is left of it is being asked.
    return allowance.learn().then(() => {
      const learnt = allowance.monthRemaining(day);
      return refused(problem, learnt === undefined ? undefined : limitState(plan, take, learnt, day, nowMs));
    });
  }

  #refuseMonth(plan: Plan, allowance: MonthLease, take: RateTake, day: Day, exhausted: boolean): Refused {
    this.#means.rate.putBack(allowance.slot, plan.requestsPerSecond, allowance.name, take);
    const nowMs = this.#means.clock.nowMs();
    const remaining = { ...take, remaining: take.remaining + 1 };
    const monthRemaining = exhausted ? 0 : allowance.monthRemaining(day);
    return refused(
      exhausted ? quotaExceeded(plan, day, monthLeftMs(day, nowMs)) : limitsUnavailable(plan.service, plan),
      monthRemaining === undefined ? undefined : limitState(plan, remaining, monthRemaining, day, nowMs),
    );
  }

  #defect(error: unknown): Refused {
    this.#means.log.error({ err: error }, "The guard has failed");
    return refused(internalProblem(error));
  }
}

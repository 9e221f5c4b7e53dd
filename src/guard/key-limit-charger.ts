// Charges a call with a key that has limits of its own: first to those limits, then to the plan's. A call that the key's limits refuse does
// not count against the plan's rate or quota, so a key that has leaked cannot stop the account's other keys. A call that the plan refuses
// is refunded to the key. The key's cap is leased, and its rate is counted, by the same code as the plan's.

import type { LimitState } from "@quintet/guard";
import type { Plan } from "../catalogue/plan.ts";
import type { Problem } from "../problem/problem.ts";
import { REASONS, type Reason } from "../problem/reason.ts";
import { type Day, monthLeftMs } from "../runtime/calendar.ts";
import type { AdmissionRequest, Admitted, CallerContext, Decision, Refused } from "./guard.ts";
import type { Access, CallerIdentity } from "./keys/access.ts";
import type { OwnLimits } from "./keys/key-limits.ts";
import type { LimitCharger, LimitChargerOptions } from "./limit-charger.ts";
import type { MonthLease, Spent } from "./quota/month-lease.ts";
import type { RateTake, SharedBuckets } from "./rate/bucket.ts";
import { keyQuotaExceeded, keyRateLimited, limitsUnavailable, refused } from "./refusals.ts";

export interface KeyLimitChargerOptions extends LimitChargerOptions {
  /** This process's own buckets, which record when a slot was last in use. */
  readonly buckets: SharedBuckets;
}

/** What the key itself was charged for a call. */
interface KeyCharge {
  /** Undefined if the key has no rate of its own. */
  readonly take: RateTake | undefined;
  /** Undefined if the key has no cap, or for a dry run. */
  readonly spent: Spent | undefined;
}

export class KeyLimitCharger {
  readonly #options: KeyLimitChargerOptions;
  readonly #plan: LimitCharger;

  constructor(options: KeyLimitChargerOptions, plan: LimitCharger) {
    this.#options = options;
    this.#plan = plan;
  }

  /** Charges a call whose access was checked. Never rejects. */
  async charge(own: OwnLimits, access: Access, request: AdmissionRequest): Promise<Admitted | Refused> {
    const { leases, rate, clock } = this.#options;
    const { principal, epoch } = access;
    const { service, plan, identity } = principal;
    const lease = await leases.of(own.name, own.cap, own.terms, epoch);
    if (lease === undefined) {
      return refused(limitsUnavailable(service, plan), undefined, identity);
    }
    const charge = await this.#chargeKey(own, access, lease, request.isDryRun === true);
    if ("reason" in charge) {
      return refused(charge, undefined, identity);
    }
    const { take, spent } = charge;
    const decision = await this.#plan.charge(access, request, clock.nowMs());
    if (decision.admitted) {
      return take === undefined && spent === undefined
        ? decision
        : new KeyAdmission(decision, lease, spent, () => this.#chargeRequest(own, lease));
    }
    if (spent !== undefined) {
      lease.end(spent, true);
    }
    if (take !== undefined && own.requestsPerSecond !== undefined) {
      rate.refund(lease.slot, own.requestsPerSecond, lease.name, take);
    }
    return decision;
  }

  // Both of the key's limits are charged, or neither is.
  async #chargeKey(own: OwnLimits, { principal }: Access, lease: MonthLease, isDryRun: boolean): Promise<KeyCharge | Problem> {
    const { rate, calendar, clock } = this.#options;
    const { service, plan, keyId } = principal;
    const take = await this.#takeRate(own, lease);
    if (take?.taken === false) {
      return take.unavailable
        ? limitsUnavailable(service, plan)
        : keyRateLimited(service, keyId, own.requestsPerSecond as number, take.nextMs);
    }
    if (own.callsPerMonth === undefined) {
      return { take, spent: undefined };
    }
    const spent = await (isDryRun ? this.#checkMonth(lease) : this.#spendMonth(lease));
    if (typeof spent !== "string") {
      return { take, spent };
    }
    if (take !== undefined && own.requestsPerSecond !== undefined) {
      rate.refund(lease.slot, own.requestsPerSecond, lease.name, take);
    }
    const day = calendar.today();
    return spent === "exhausted"
      ? keyQuotaExceeded(service, keyId, own.callsPerMonth, day, monthLeftMs(day, clock.nowMs()))
      : limitsUnavailable(service, plan);
  }

  #chargeRequest({ requestsPerSecond }: OwnLimits, { slot, name }: MonthLease): void {
    const { rate, clock } = this.#options;
    if (requestsPerSecond !== undefined) {
      rate.charge(slot, requestsPerSecond, clock.monotonicMs(), name, 1);
    }
  }

  async #takeRate({ requestsPerSecond }: OwnLimits, { slot, name }: MonthLease): Promise<RateTake | undefined> {
    const { rate, buckets, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (requestsPerSecond === undefined) {
      buckets.touch(slot, nowMs);
      return undefined;
    }
    return rate.take(slot, requestsPerSecond, nowMs, name);
  }

  async #spendMonth(lease: MonthLease): Promise<Spent | "exhausted" | "unavailable"> {
    const day = this.#options.calendar.today();
    const spent = lease.spend(day) ?? (lease.isExhausted(day) ? "exhausted" : await lease.spendLater());
    if (typeof spent !== "string") {
      lease.begin(spent);
    }
    return spent;
  }

  // Whether the cap would admit a dry run, which is not charged.
  async #checkMonth(lease: MonthLease): Promise<"exhausted" | "unavailable" | undefined> {
    const { calendar } = this.#options;
    const isUsedUp = (day: Day): boolean | undefined => {
      const remaining = lease.monthRemaining(day);
      return remaining === undefined ? undefined : remaining === 0 || lease.isExhausted(day);
    };
    let usedUp = isUsedUp(calendar.today());
    if (usedUp === undefined) {
      await lease.awaitStatus();
      usedUp = isUsedUp(calendar.today());
    }
    return usedUp === undefined ? "unavailable" : usedUp ? "exhausted" : undefined;
  }
}

/** An admitted call that was also charged to a key's own limits. */
class KeyAdmission implements Admitted {
  readonly admitted = true;
  readonly identity?: CallerIdentity;
  readonly limits?: LimitState<Plan>;
  readonly #planAdmission: Admitted;
  readonly #lease: MonthLease;
  readonly #spent: Spent | undefined;
  readonly #charge: () => void;
  #settled = false;
  #requests = 0;

  constructor(planAdmission: Admitted, lease: MonthLease, spent: Spent | undefined, charge: () => void) {
    const { identity, limits } = planAdmission;
    if (identity !== undefined) {
      this.identity = identity;
    }
    if (limits !== undefined) {
      this.limits = limits;
    }
    this.#planAdmission = planAdmission;
    this.#lease = lease;
    this.#spent = spent;
    this.#charge = charge;
  }

  get caller(): CallerContext {
    return this.#planAdmission.caller;
  }

  settle(outcome: "OK" | Reason): void {
    if (!this.#settled) {
      this.#settled = true;
      if (this.#spent !== undefined) {
        this.#lease.end(this.#spent, outcome !== "OK" && !REASONS[outcome].charged);
      }
      this.#planAdmission.settle(outcome);
    }
  }

  chargeRequest(): void {
    this.#requests++;
    if (this.#requests > 1 && !this.#settled) {
      this.#charge();
    }
    this.#planAdmission.chargeRequest?.();
  }

  renew(): Decision {
    return this.#planAdmission.renew();
  }

  watch(onRefused: (refused: Refused) => void): () => void {
    return this.#planAdmission.watch(onRefused);
  }
}

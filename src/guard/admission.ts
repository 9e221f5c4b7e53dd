// An admitted call: what its caller may know of the limits, and the receipt that is settled when it ends.
import { REASONS, type Reason } from "../problem/reason.ts";
import type { Admitted, LimitState, Principal } from "./guard.ts";
import type { MonthLease, Spent } from "./month-lease.ts";
import type { UsageCounter } from "./usage.ts";

/** A call that has been charged. */
export class Admission implements Admitted {
  readonly admitted = true;
  readonly principal: Principal;
  readonly limits: LimitState;
  readonly #method: string;
  readonly #spent: Spent;
  readonly #allowance: MonthLease;
  readonly #usage: UsageCounter;
  #settled = false;

  constructor(principal: Principal, limits: LimitState, method: string, spent: Spent, allowance: MonthLease, usage: UsageCounter) {
    this.principal = principal;
    this.limits = limits;
    this.#method = method;
    this.#spent = spent;
    this.#allowance = allowance;
    this.#usage = usage;
  }

  settle(outcome: "OK" | Reason): void {
    if (this.#settled) {
      return;
    }
    this.#settled = true;
    this.#allowance.end(this.#spent, outcome !== "OK" && !REASONS[outcome].charged);
    this.#usage.count(this.principal, this.#method, this.#spent.day.day, outcome);
  }
}

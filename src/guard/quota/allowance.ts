// An allowance is the part of a month's calls that this process has leased for one subscription, or for a key's cap. It belongs to the
// thread that owns the store. Any thread spends leased calls in memory, and more are leased ahead of need.
import type { Day } from "../../runtime/calendar.ts";
import type { LeasedCalls, LeaseSubject, PlanTerms } from "../../store/records.ts";
import { type AllowanceOptions, LeaseExchange } from "./lease-exchange.ts";
import type { LaterSpent, MonthLease, Spent } from "./month-lease.ts";
import { SlotLease } from "./slot-lease.ts";
import { WaitingCalls } from "./waiting-calls.ts";

// This thread's own row in the counts of calls in flight.
const OWN_THREAD = 0;

// After a refill failed, how long further requests for it from other threads are ignored.
const REFILL_PAUSE_MS = 10;

export class Allowance implements MonthLease {
  readonly name: string;
  readonly slot: number;
  readonly #options: AllowanceOptions;
  readonly #lease: SlotLease;
  readonly #waiting: WaitingCalls;
  readonly #exchange: LeaseExchange;
  /** When it was last used, on the monotonic clock. */
  usedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: AllowanceOptions, name: string, slot: number, subject: LeaseSubject, terms: PlanTerms) {
    this.#options = options;
    this.name = name;
    this.slot = slot;
    this.#lease = SlotLease.claim(options.words, slot);
    this.#waiting = new WaitingCalls(options, this.#lease);
    this.#exchange = new LeaseExchange(options, name, this.#lease, this.#waiting, { subject, terms });
  }

  /** Whether no query to the store is in progress, no call is waiting, and every charged call has been settled. */
  get isIdle(): boolean {
    return !this.#exchange.isRunning && this.#waiting.chargeCount === 0 && !this.#options.inFlight.hasAny(this.slot);
  }

  /** Changes with each plan and subscription that this allowance has followed; a part of its leases' ids. */
  get generation(): number {
    return this.#lease.generation;
  }

  /** Follows the account to another plan or cap, or to the subscription that came after this one. */
  follow(subject: LeaseSubject, terms: PlanTerms): void {
    this.#exchange.follow(subject, terms);
  }

  spend(day: Day): Spent | undefined {
    this.#exchange.isUnused = false;
    const spent = this.#lease.spend(day);
    if (spent !== undefined && this.#lease.isLow(spent)) {
      this.#exchange.startLow(spent.left);
    }
    return spent;
  }

  spendLater(): Promise<LaterSpent> {
    this.#exchange.isUnused = false;
    if (this.#lease.exhaustedEpoch(this.#options.calendar.today()) !== this.#options.epoch(this.name)) {
      // What the store reported before the account's last change is outdated: it is queried again, even if this call does not wait for
      // that.
      this.#lease.forgetExhausted();
    }
    const result = this.#exchange.canQuery ? this.#waiting.waitForCall() : Promise.resolve("unavailable" as const);
    this.#exchange.start();
    return result;
  }

  isExhausted(day: Day): boolean {
    if (this.#lease.exhaustedEpoch(day) !== this.#options.epoch(this.name)) {
      return false;
    }
    this.#exchange.recheck();
    return true;
  }

  begin({ slot, leaseId }: Spent): void {
    this.#options.inFlight.begin(OWN_THREAD, slot, leaseId);
  }

  end({ day, slot, leaseId }: Spent, refunded: boolean): void {
    this.#options.inFlight.end(OWN_THREAD, slot, leaseId);
    if (refunded) {
      this.refund(day, leaseId, 1);
    }
  }

  /** Refunds calls that were spent from the lease of this id. Calls of another month stay spent. */
  refund(day: Day, leaseId: number, calls: number): void {
    if (day.monthNumber !== this.#options.calendar.today().monthNumber) {
      return;
    }
    if (leaseId === this.#lease.leaseIdOf(day)) {
      this.#lease.refund(leaseId, calls);
      this.#exchange.serve();
      this.#exchange.returnExcess(day);
    } else {
      this.#exchange.returnCalls(day, calls);
    }
  }

  /** Refunds calls that were spent from the current lease. Those from before the current plan or month stay spent. */
  refundCurrent(leaseId: number, calls: number): void {
    const day = this.#options.calendar.today();
    if (leaseId === this.#lease.leaseIdOf(day)) {
      this.refund(day, leaseId, calls);
    }
  }

  /** Lets threads ask for a refill again: a thread that died may have marked a request without sending it. */
  clearRefillRequest(): void {
    this.#lease.clearRefillRequest();
  }

  /** Refills the lease or returns the excess, because another thread has seen that this is needed, or that it is time to query again. */
  refill(): void {
    this.#exchange.isUnused = false;
    const day = this.#options.calendar.today();
    this.#exchange.returnExcess(day);
    this.isExhausted(day);
    this.#exchange.start();
    if (!this.#exchange.isRunning) {
      this.#options.clock.after(REFILL_PAUSE_MS, () => this.#lease.clearRefillRequest());
    }
  }

  monthRemaining(day: Day): number | undefined {
    return this.#lease.monthRemaining(day);
  }

  /** The subscription or cap that it follows. */
  get subject(): LeaseSubject {
    return this.#exchange.subject;
  }

  /** When the store last reported what is left of the quota, on the monotonic clock. */
  get reportedAtMs(): number {
    return this.#exchange.reportedAtMs;
  }

  /** Given how many of this month's calls are leased, returns to the store what this process now holds in excess. */
  compare(leased: Pick<LeasedCalls, "month" | "leased" | "credited">): void {
    this.#exchange.compare(leased);
  }

  /** Calls of this month that are leased and not spent. */
  left(day: Day): number {
    return this.#lease.left(day);
  }

  awaitStatus(): Promise<unknown> {
    const isKnown = this.monthRemaining(this.#options.calendar.today()) !== undefined;
    const result = isKnown || !this.#exchange.canQuery ? Promise.resolve() : this.#waiting.waitForStatus();
    this.#exchange.start();
    return result;
  }

  /** Fetches a first lease before the first call, and nothing more until that call. Never rejects. */
  async load(): Promise<void> {
    this.#exchange.isUnused = true;
    await this.awaitStatus();
  }

  /** Returns unspent calls to the store, and waits for it. An idle allowance releases its slot before the first wait. Never rejects. */
  close(): Promise<void> {
    return this.#exchange.close();
  }
}

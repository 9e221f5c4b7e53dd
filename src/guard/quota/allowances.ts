// The allowances in use, one for each account and service, and for each cap of a key: a subscription that follows a cancelled one continues
// its count. Their number is bounded. When there is no room, those that have not been used for a while are evicted and return their unspent
// calls.
import type { Day } from "../../runtime/calendar.ts";
import type { LeasedCalls, LeaseSubject, PlanTerms } from "../../store/records.ts";
import type { InFlightCalls, SlotTable } from "../memory/slots.ts";
import { type AllowanceOptions, LeaseExchange } from "./lease-exchange.ts";
import type { LaterSpent, MonthLease, MonthLeases, Spent } from "./month-lease.ts";
import { SlotLease } from "./slot-lease.ts";
import { WaitingCalls } from "./waiting-calls.ts";

// An allowance is the part of a month's calls that this process has leased for one subscription, or for a key's cap. It belongs to the
// thread that owns the store. Any thread spends leased calls in memory, and more are leased ahead of need.

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

// An allowance is evicted only after this time without use: until then, it may well be used again.
const IDLE_MS = 1000;
const SWEEP_EVERY_MS = 100;
// The most allowances that are evicted at a time.
const EVICTED_MAX = 32;
// The most allowances that return their calls at the same time when all are closed: enough to fill several of the store's batches.
const CLOSING_MAX = 1000;
// The shortest time between two warnings that there is no room.
const LOG_EVERY_MS = 10_000;

/** Knows how long a subscription has not been called. */
export interface CallActivity {
  /** How long the bucket of a slot has been full, in milliseconds; negative while it is not. */
  fullForMs(slot: number, nowMs: number): number;
}

export class Allowances implements MonthLeases {
  readonly #options: AllowanceOptions;
  readonly #slots: SlotTable;
  readonly #activity: CallActivity;
  readonly #byKey = new Map<string, Allowance>();
  #sweepAtMs = Number.NEGATIVE_INFINITY;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  readonly #nextToEvict = this.roundRobin();

  constructor(options: AllowanceOptions, slots: SlotTable, activity: CallActivity) {
    this.#options = options;
    this.#slots = slots;
    this.#activity = activity;
  }

  of(key: string, subject: LeaseSubject, terms: PlanTerms): Allowance | undefined {
    const nowMs = this.#options.clock.monotonicMs();
    const found = this.#byKey.get(key);
    if (found !== undefined) {
      found.usedAtMs = nowMs;
      found.follow(subject, terms);
      return found;
    }
    const slot = this.#slots.take() ?? this.#sweep(nowMs);
    if (slot === undefined) {
      this.#logNoRoom(nowMs);
      return undefined;
    }
    const created = new Allowance(this.#options, key, slot, subject, terms);
    created.usedAtMs = nowMs;
    this.#byKey.set(key, created);
    return created;
  }

  /** The current allowance of an account and service. */
  current(key: string): Allowance | undefined {
    return this.#byKey.get(key);
  }

  /** This month's calls that this process holds for an account and service and has not spent. */
  left(key: string, day: Day): number {
    return this.#byKey.get(key)?.left(day) ?? 0;
  }

  /** Returns a function that cycles through all allowances: each call returns the one that it returned longest ago. */
  roundRobin(): () => Allowance | undefined {
    let all = this.#byKey.values();
    return () => {
      const { value, done } = all.next();
      if (done !== true) {
        return value;
      }
      all = this.#byKey.values();
      return all.next().value;
    };
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** The most allowances that there can be. */
  get capacity(): number {
    return this.#slots.capacity;
  }

  /** This month's calls that this process holds in all allowances and has not spent. */
  totalLeft(day: Day): number {
    return this.#byKey.values().reduce((sum, allowance) => sum + allowance.left(day), 0);
  }

  /** Refunds the calls that a thread had in flight when it died. */
  refundAll(held: readonly InFlightCalls[]): void {
    const bySlot = new Map(Array.from(this.#byKey.values(), (allowance) => [allowance.slot, allowance]));
    for (const { slot, leaseId, calls } of held) {
      bySlot.get(slot)?.refundCurrent(leaseId, calls);
    }
    for (const allowance of bySlot.values()) {
      allowance.clearRefillRequest();
    }
  }

  /** Returns unspent calls to the store, within `withinMs`. Never rejects. */
  async close(withinMs: number): Promise<void> {
    const { clock, log } = this.#options;
    const untilMs = clock.monotonicMs() + withinMs;
    const open = [...this.#byKey.values()];
    const waiting = open.values();
    let closed = 0;
    const closeInTurn = async (): Promise<void> => {
      for (const allowance of waiting) {
        if (clock.monotonicMs() >= untilMs) {
          return;
        }
        await allowance.close();
        closed++;
      }
    };
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(withinMs, resolve);
    await Promise.race([Promise.all(Array.from({ length: CLOSING_MAX }, closeInTurn)), late]);
    cancel();
    if (closed < open.length) {
      log.warn(
        { leases: open.length - closed, within_ms: withinMs },
        "There was no time to return all leases; what is left of them is lost",
      );
    }
  }

  // Evicts those that are not in use. Nothing is lost: a full bucket and an empty lease can restart in another slot.
  #sweep(nowMs: number): number | undefined {
    // Their leases cannot be returned to a store that is down.
    if (nowMs < this.#sweepAtMs || this.#options.breaker.isOpen) {
      return undefined;
    }
    let evicted = 0;
    for (let checksLeft = this.#byKey.size; checksLeft > 0 && evicted < EVICTED_MAX; checksLeft--) {
      const allowance = this.#nextToEvict();
      if (allowance !== undefined && this.#isUnused(allowance, nowMs)) {
        this.#byKey.delete(allowance.name);
        // Closing removes unspent calls from the slot before it waits for anything, so the slot is free immediately.
        void allowance.close();
        this.#slots.free(allowance.slot);
        evicted++;
      }
    }
    if (evicted === 0) {
      this.#sweepAtMs = nowMs + SWEEP_EVERY_MS;
    }
    return this.#slots.take();
  }

  #isUnused(allowance: Allowance, nowMs: number): boolean {
    const fullForMs = this.#activity.fullForMs(allowance.slot, nowMs);
    return allowance.isIdle && fullForMs >= IDLE_MS && nowMs - allowance.usedAtMs >= IDLE_MS;
  }

  #logNoRoom(nowMs: number): void {
    if (nowMs - this.#loggedAtMs >= LOG_EVERY_MS) {
      this.#loggedAtMs = nowMs;
      this.#options.log.warn(
        { subscriptions: this.#byKey.size },
        "More subscriptions are in use at the same time than fit in memory; calls on the others are refused",
      );
    }
  }
}

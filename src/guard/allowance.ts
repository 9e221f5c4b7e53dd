// One subscription's calls of the month, as this process holds them: what is leased is spent in memory, and more is fetched ahead of
// need. All questions to the store about a subscription are asked one after another, so that what it says last is true; a question
// whose outcome is unknown counts as calls lost, never as calls given twice.
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { type GuardStore, type LeaseGrant, StoreUnavailable } from "../store/store.ts";
import { addGrant, callsLeft, refundCalls, spendCall, takeExcess } from "./lease.ts";
import { leaseMax, leaseSize, leaseWant } from "./lease-size.ts";
import type { Calendar, Day } from "./month.ts";
import type { LaterSpent, MonthLease } from "./month-lease.ts";
import type { Plan } from "./plan.ts";
import type { SlotWords } from "./slots.ts";
import type { StoreBreaker } from "./store-breaker.ts";
import { type WaitingLimits, WaitingRoom } from "./waiting-room.ts";

// How long "the month is used up" is believed without asking again: another process may have given calls back.
const RECHECK_MS = 10_000;

/** What all allowances of a guard work with. */
export interface AllowanceMeans {
  readonly store: Pick<GuardStore, "lease" | "giveBack">;
  readonly breaker: StoreBreaker;
  readonly clock: Clock;
  readonly log: Log;
  readonly words: SlotWords;
  readonly calendar: Calendar;
  /** Another number after every change of accounts, keys or subscriptions. */
  readonly epoch: () => number;
  /** How many callers wait for one subscription's lease, and how long. */
  readonly limits: WaitingLimits;
}

/** One subscription's allowance. */
export class Allowance implements MonthLease {
  readonly name: string;
  readonly slot: number;
  /** Calls admitted and not settled yet. */
  callsUnderWay = 0;
  readonly #means: AllowanceMeans;
  readonly #spenders: WaitingRoom<LaterSpent>;
  readonly #learners: WaitingRoom<undefined>;
  #subscriptionId: string;
  #plan: Plan;
  // What the store said last: calls of the month that nobody holds.
  #unleased: { readonly monthNumber: number; calls: number } | undefined;
  #exhausted: { readonly monthNumber: number; readonly epoch: number; recheckAtMs: number } | undefined;
  // Below this a lease is fetched.
  #lowWater = 1;
  #returning: { readonly day: Day; calls: number } | undefined;
  // After a failure the outcome is unknown: what the store may have granted is lost, so the next question risks one call only.
  #cautious = false;
  #exchange: Promise<void> | undefined;
  #closed = false;

  constructor(means: AllowanceMeans, name: string, slot: number, subscriptionId: string, plan: Plan) {
    this.#means = means;
    this.name = name;
    this.slot = slot;
    this.#subscriptionId = subscriptionId;
    this.#plan = plan;
    this.#spenders = new WaitingRoom<LaterSpent>(means.clock, means.limits, means.breaker, "unavailable");
    this.#learners = new WaitingRoom<undefined>(means.clock, means.limits, means.breaker, undefined);
  }

  /** Whether nothing is under way and nobody holds a receipt. */
  get isIdle(): boolean {
    return this.callsUnderWay === 0 && this.#exchange === undefined && this.#spenders.size === 0;
  }

  /**
   * Follows the subscription to another plan, or to the subscription that came after it. What was leased is given back before anything
   * is leased under the new plan: it may be more than the new plan has.
   */
  follow(subscriptionId: string, plan: Plan): void {
    if (plan === this.#plan && subscriptionId === this.#subscriptionId) {
      return;
    }
    const day = this.#means.calendar.today();
    this.#subscriptionId = subscriptionId;
    this.#plan = plan;
    this.#unleased = undefined;
    this.#exhausted = undefined;
    this.#lowWater = 1;
    this.#giveBackLater(day, takeExcess(this.#means.words, this.slot, day.monthNumber, 0));
  }

  spend(day: Day): number {
    const left = spendCall(this.#means.words, this.slot, day.monthNumber);
    if (left >= 0 && left < this.#lowWater && this.#unleasedOf(day) !== 0) {
      this.#ask();
    }
    return left;
  }

  spendLater(): Promise<LaterSpent> {
    const hopeless = this.#closed || this.#means.breaker.isOpen;
    const answer = hopeless ? Promise.resolve("unavailable" as const) : this.#spenders.wait();
    this.#ask();
    return answer;
  }

  isExhausted(day: Day): boolean {
    const exhausted = this.#exhausted;
    if (exhausted === undefined || exhausted.monthNumber !== day.monthNumber || exhausted.epoch !== this.#means.epoch()) {
      return false;
    }
    const nowMs = this.#means.clock.monotonicMs();
    if (nowMs >= exhausted.recheckAtMs) {
      exhausted.recheckAtMs = nowMs + RECHECK_MS;
      this.#unleased = undefined;
      this.#ask();
    }
    return true;
  }

  refund(day: Day, plan: Plan): void {
    if (day.monthNumber !== this.#means.calendar.today().monthNumber) {
      return;
    }
    if (plan !== this.#plan) {
      this.#giveBackLater(day, 1);
      return;
    }
    const left = refundCalls(this.#means.words, this.slot, day.monthNumber, 1);
    this.#serve();
    // While the store is dead the excess is better kept: it can be spent, and cannot be given back.
    if (left > leaseMax(plan) && !this.#means.breaker.isOpen) {
      this.#giveBackLater(day, takeExcess(this.#means.words, this.slot, day.monthNumber, leaseMax(plan)));
    }
  }

  monthRemaining(day: Day): number | undefined {
    const unleased = this.#exhausted?.monthNumber === day.monthNumber ? 0 : this.#unleasedOf(day);
    return unleased === undefined ? undefined : unleased + callsLeft(this.#means.words, this.slot, day.monthNumber);
  }

  learn(): Promise<unknown> {
    const hopeless = this.#closed || this.#means.breaker.isOpen;
    const answer = hopeless ? Promise.resolve() : this.#learners.wait();
    this.#ask();
    return answer;
  }

  /**
   * Gives back what was not spent, and waits for it. An idle allowance lets go of its slot before the first wait. Never rejects.
   */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#exchange !== undefined) {
      await this.#exchange;
    }
    const { words, calendar, breaker, log } = this.#means;
    const day = calendar.today();
    this.#addReturning(day, takeExcess(words, this.slot, day.monthNumber, 0));
    if (this.#returning !== undefined && breaker.admits()) {
      await this.#giveBack().catch((error: unknown) => log.warn({ err: error }, "Unspent calls could not be given back"));
    }
  }

  #unleasedOf(day: Day): number | undefined {
    return this.#unleased?.monthNumber === day.monthNumber ? this.#unleased.calls : undefined;
  }

  #addReturning(day: Day, calls: number): void {
    if (calls > 0) {
      const pending = this.#returning?.day.monthNumber === day.monthNumber ? this.#returning.calls : 0;
      this.#returning = { day, calls: pending + calls };
    }
  }

  #giveBackLater(day: Day, calls: number): void {
    this.#addReturning(day, calls);
    this.#ask();
  }

  // Asks the store for what is needed, where nobody is asking yet and the store may be asked.
  #ask(): void {
    if (this.#exchange === undefined && this.#hasQuestion() && this.#means.breaker.admits()) {
      this.#exchange = this.#converse();
    }
  }

  async #converse(): Promise<void> {
    try {
      while (this.#hasQuestion()) {
        await this.#giveBack();
        if (this.#needsLease()) {
          await this.#lease();
        }
      }
    } catch (error) {
      this.#cautious = true;
      this.#spenders.answerAll("unavailable");
      if (!(error instanceof StoreUnavailable)) {
        this.#means.log.error({ err: error }, "The store refused a lease");
      }
    } finally {
      // In the same moment as the last look at what is needed: whoever comes after that starts a new exchange.
      this.#exchange = undefined;
      this.#learners.answerAll(undefined);
    }
  }

  #hasQuestion(): boolean {
    return !this.#closed && (this.#returning !== undefined || this.#needsLease());
  }

  #needsLease(): boolean {
    const day = this.#means.calendar.today();
    const unleased = this.#unleasedOf(day);
    if (unleased === undefined || this.#spenders.size > 0) {
      return true;
    }
    const left = callsLeft(this.#means.words, this.slot, day.monthNumber);
    return left < this.#lowWater && (unleased > 0 || left === 0) && this.#exhausted?.monthNumber !== day.monthNumber;
  }

  async #giveBack(): Promise<void> {
    const returning = this.#returning;
    this.#returning = undefined;
    if (returning === undefined || returning.day.monthNumber !== this.#means.calendar.today().monthNumber) {
      return;
    }
    const { day, calls } = returning;
    await this.#means.breaker.ask(() => this.#means.store.giveBack(this.#subscriptionId, day.month, calls));
    this.#exhausted = undefined;
    if (this.#unleased?.monthNumber === day.monthNumber) {
      this.#unleased.calls += calls;
    }
  }

  async #lease(): Promise<void> {
    const { calendar, words, store, breaker } = this.#means;
    const day = calendar.today();
    const plan = this.#plan;
    const subscriptionId = this.#subscriptionId;
    const left = callsLeft(words, this.slot, day.monthNumber);
    const want = this.#cautious ? 1 : leaseWant(plan, this.#unleasedOf(day), left, this.#spenders.size);
    const grant = await breaker.ask(
      () => store.lease(subscriptionId, day.month, plan.callsPerMonth, want),
      (late) => this.#giveBackLater(day, late.granted),
    );
    this.#take(grant, day, plan, subscriptionId);
  }

  #take({ granted, unleased }: LeaseGrant, day: Day, plan: Plan, subscriptionId: string): void {
    const { calendar, words, clock, epoch } = this.#means;
    this.#cautious = false;
    // A month that is over needs no calls.
    if (day.monthNumber !== calendar.today().monthNumber) {
      return;
    }
    if (plan !== this.#plan || subscriptionId !== this.#subscriptionId) {
      this.#addReturning(day, granted);
      return;
    }
    this.#unleased = { monthNumber: day.monthNumber, calls: unleased };
    this.#lowWater = Math.max(1, Math.floor(leaseSize(plan, unleased) / 2));
    addGrant(words, this.slot, day.monthNumber, granted);
    this.#exhausted =
      granted > 0 ? undefined : { monthNumber: day.monthNumber, epoch: epoch(), recheckAtMs: clock.monotonicMs() + RECHECK_MS };
    this.#serve();
  }

  #serve(): void {
    while (this.#spenders.size > 0) {
      const day = this.#means.calendar.today();
      const left = spendCall(this.#means.words, this.slot, day.monthNumber);
      if (left >= 0) {
        this.#spenders.answerFirst({ day, left });
      } else if (this.#exhausted?.monthNumber === day.monthNumber && this.#returning === undefined) {
        this.#spenders.answerAll("exhausted");
      } else {
        return;
      }
    }
  }
}

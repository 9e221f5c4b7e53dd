// One subscription's calls of the month, as this process holds them, kept by the thread that owns the store: what is leased is spent in
// memory, by any thread, and more is fetched ahead of need. All questions to the store about a subscription are asked one after another, so
// that what it says last is true; a question whose outcome is unknown counts as calls lost, never as calls given twice.

import type { Plan } from "../../catalogue/plan.ts";
import type { LeaseGrant } from "../../store/records.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import { WaitQueue } from "../breaker/wait-queue.ts";
import type { AllowanceDependencies } from "./allowance-dependencies.ts";
import { leaseMax, leaseSize, leaseWant } from "./lease-size.ts";
import type { Day } from "./month.ts";
import type { LaterSpent, MonthLease, Spent } from "./month-lease.ts";
import { SlotLease } from "./slot-lease.ts";

// The row of this thread's own calls.
const OWN_THREAD = 0;

// How long "the month is used up" is believed without asking again: another process may have given calls back.
const RECHECK_MS = 10_000;

// How long other threads are not listened to again when nothing could be done for them.
const ATTENTION_RESTS_MS = 10;

/** One subscription's allowance. */
export class Allowance implements MonthLease {
  readonly name: string;
  readonly slot: number;
  readonly #dependencies: AllowanceDependencies;
  readonly #spenders: WaitQueue<LaterSpent>;
  readonly #learners: WaitQueue<undefined>;
  readonly #held: SlotLease;
  #subscriptionId: string;
  #plan: Plan;
  #returning: { readonly day: Day; calls: number } | undefined;
  // After a failure the outcome is unknown: what the store may have granted is lost, so the next question risks one call only.
  #cautious = false;
  #exchange: Promise<void> | undefined;
  #closed = false;
  // Loaded ahead of its first call: it holds no more than a first lease until there is one.
  #isUncalled = false;
  /** When it was asked for last, on the monotonic clock. */
  usedAtMs = Number.NEGATIVE_INFINITY;

  constructor(dependencies: AllowanceDependencies, name: string, slot: number, subscriptionId: string, plan: Plan) {
    this.#dependencies = dependencies;
    this.name = name;
    this.slot = slot;
    this.#subscriptionId = subscriptionId;
    this.#plan = plan;
    this.#held = SlotLease.claim(dependencies.words, slot);
    this.#spenders = new WaitQueue<LaterSpent>(dependencies.clock, dependencies.limits, dependencies.breaker, "unavailable");
    this.#learners = new WaitQueue<undefined>(dependencies.clock, dependencies.limits, dependencies.breaker, undefined);
  }

  /** Whether nothing is under way and nobody holds a receipt. */
  get isIdle(): boolean {
    return this.#exchange === undefined && this.#spenders.size === 0 && !this.#dependencies.inFlight.hasAny(this.slot);
  }

  /** Another number for each plan and subscription that was followed to: names the leases of this one. */
  get generation(): number {
    return this.#held.generation;
  }

  /**
   * Follows the subscription to another plan, or to the subscription that came after it. What was leased is given back before anything
   * is leased under the new plan: it may be more than the new plan has.
   */
  follow(subscriptionId: string, plan: Plan): void {
    if (plan === this.#plan && subscriptionId === this.#subscriptionId) {
      return;
    }
    const day = this.#dependencies.calendar.today();
    this.#subscriptionId = subscriptionId;
    this.#plan = plan;
    this.#giveBackLater(day, this.#held.renew(day));
  }

  spend(day: Day): Spent | undefined {
    this.#isUncalled = false;
    const spent = this.#held.spend(day);
    if (spent !== undefined && this.#held.isLow(spent)) {
      this.#ask();
    }
    return spent;
  }

  spendLater(): Promise<LaterSpent> {
    this.#isUncalled = false;
    if (this.#held.exhaustedIn(this.#dependencies.calendar.today()) !== this.#dependencies.epoch(this.name)) {
      // What was said before the last change is to be asked again, also while nobody is waited for.
      this.#held.status.clearExhausted();
    }
    const hopeless = this.#closed || this.#dependencies.breaker.isOpen;
    const answer = hopeless ? Promise.resolve("unavailable" as const) : this.#spenders.wait();
    this.#ask();
    return answer;
  }

  isExhausted(day: Day): boolean {
    const { status: standing } = this.#held;
    if (this.#held.exhaustedIn(day) !== this.#dependencies.epoch(this.name)) {
      return false;
    }
    const nowMs = this.#dependencies.clock.monotonicMs();
    if (nowMs >= standing.recheckAtMs) {
      standing.recheckAtMs = nowMs + RECHECK_MS;
      standing.forgetUnleased();
      this.#ask();
    }
    return true;
  }

  begin({ slot, leaseId }: Spent): void {
    this.#dependencies.inFlight.begin(OWN_THREAD, slot, leaseId);
  }

  end({ day, slot, leaseId }: Spent, refunded: boolean): void {
    this.#dependencies.inFlight.end(OWN_THREAD, slot, leaseId);
    if (refunded) {
      this.takeBack(day, leaseId, 1);
    }
  }

  /** Takes back calls that were spent out of the lease of this term. Those of another month stay spent. */
  takeBack(day: Day, leaseId: number, calls: number): void {
    if (day.monthNumber !== this.#dependencies.calendar.today().monthNumber) {
      return;
    }
    if (leaseId === this.#held.leaseIdOf(day)) {
      this.#held.refund(leaseId, calls);
      this.#serve();
      this.#trim(day);
    } else {
      this.#giveBackLater(day, calls);
    }
  }

  /** Takes back what a thread that died had under way. Calls from before the present plan or month stay spent. */
  reclaim(leaseId: number, calls: number): void {
    const day = this.#dependencies.calendar.today();
    if (leaseId === this.#held.leaseIdOf(day)) {
      this.takeBack(day, leaseId, calls);
    }
  }

  /** Listens to other threads again: one that has died may have called for attention and not told. */
  clearRefillRequest(): void {
    this.#held.status.clearRefillRequest();
  }

  /** Looks after the lease, because another thread has seen that there is too much or too little in it, or that it is time to ask again. */
  refill(): void {
    this.#isUncalled = false;
    const day = this.#dependencies.calendar.today();
    this.#trim(day);
    this.isExhausted(day);
    this.#ask();
    if (this.#exchange === undefined) {
      this.#dependencies.clock.after(ATTENTION_RESTS_MS, () => this.#held.status.clearRefillRequest());
    }
  }

  monthRemaining(day: Day): number | undefined {
    return this.#held.monthRemaining(day);
  }

  /** Calls of the month that are leased and not spent. */
  left(day: Day): number {
    return this.#held.left(day);
  }

  awaitStatus(): Promise<unknown> {
    const isKnown = this.monthRemaining(this.#dependencies.calendar.today()) !== undefined;
    const hopeless = this.#closed || this.#dependencies.breaker.isOpen;
    const answer = isKnown || hopeless ? Promise.resolve() : this.#learners.wait();
    this.#ask();
    return answer;
  }

  /** Fetches a first lease ahead of the first call, and no more than that until there is one. Never rejects. */
  async load(): Promise<void> {
    this.#isUncalled = true;
    await this.awaitStatus();
  }

  /**
   * Gives back what was not spent, and waits for it. An idle allowance lets go of its slot before the first wait. Never rejects.
   */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#exchange !== undefined) {
      await this.#exchange;
    }
    const { calendar, breaker, log } = this.#dependencies;
    const day = calendar.today();
    this.#addReturning(day, this.#held.takeExcess(day, 0));
    if (this.#returning !== undefined && breaker.admits()) {
      await this.#giveBack().catch((error: unknown) => log.warn({ err: error }, "Unspent calls could not be given back"));
    }
  }

  // While the store is dead the excess is better kept: it can be spent, and cannot be given back.
  #trim(day: Day): void {
    if (!this.#dependencies.breaker.isOpen) {
      const excess = this.#held.takeExcess(day, leaseMax(this.#plan));
      if (excess > 0) {
        this.#giveBackLater(day, excess);
      }
    }
  }

  // Calls of a month that is over are of no use, and must not take the place of the present one's.
  #addReturning(day: Day, calls: number): void {
    if (calls > 0 && day.monthNumber === this.#dependencies.calendar.today().monthNumber) {
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
    if (this.#exchange === undefined && this.#hasQuestion() && this.#dependencies.breaker.admits()) {
      this.#exchange = this.#converse();
    }
  }

  async #converse(): Promise<void> {
    try {
      // Once at least: another thread may have filled the lease since somebody looked, and what ended before its first wait would be
      // noted as under way for ever, by whoever began it.
      do {
        await this.#giveBack();
        if (this.#needsLease()) {
          await this.#lease();
        }
      } while (this.#hasQuestion());
    } catch (error) {
      this.#cautious = true;
      this.#spenders.answerAll("unavailable");
      if (!(error instanceof StoreUnavailable)) {
        this.#dependencies.log.error({ err: error }, "The store refused a lease");
      }
    } finally {
      // In the same moment as the last look at what is needed: whoever comes after that starts a new exchange.
      this.#exchange = undefined;
      this.#held.status.clearRefillRequest();
      this.#learners.answerAll(undefined);
    }
  }

  #hasQuestion(): boolean {
    return !this.#closed && (this.#returning !== undefined || this.#needsLease());
  }

  #needsLease(): boolean {
    const day = this.#dependencies.calendar.today();
    return this.#spenders.size > 0 || (this.#isUncalled ? this.#held.unleased(day) === undefined : this.#held.wantsMore(day));
  }

  async #giveBack(): Promise<void> {
    const returning = this.#returning;
    this.#returning = undefined;
    if (returning === undefined || returning.day.monthNumber !== this.#dependencies.calendar.today().monthNumber) {
      return;
    }
    const { day, calls } = returning;
    await this.#dependencies.breaker.ask(() => this.#dependencies.store.giveBack(this.#subscriptionId, day.month, calls));
    this.#held.returned(day, calls);
  }

  async #lease(): Promise<void> {
    const { calendar, store, breaker } = this.#dependencies;
    const day = calendar.today();
    const plan = this.#plan;
    const subscriptionId = this.#subscriptionId;
    const want = this.#cautious ? 1 : leaseWant(plan, this.#held.unleased(day), this.#held.left(day), this.#spenders.size);
    const grant = await breaker.ask(
      () => store.lease(subscriptionId, day.month, plan.callsPerMonth, want),
      (late) => this.#giveBackLater(day, late.granted),
    );
    this.#take(grant, day, plan, subscriptionId);
  }

  #take({ granted, unleased }: LeaseGrant, day: Day, plan: Plan, subscriptionId: string): void {
    const { calendar, clock, epoch } = this.#dependencies;
    this.#cautious = false;
    // A month that is over needs no calls.
    if (day.monthNumber !== calendar.today().monthNumber) {
      return;
    }
    if (plan !== this.#plan || subscriptionId !== this.#subscriptionId) {
      this.#addReturning(day, granted);
      return;
    }
    this.#held.grant(day, granted, unleased, Math.max(1, Math.floor(leaseSize(plan, unleased) / 2)));
    if (granted === 0) {
      this.#held.exhausted(day, epoch(this.name), clock.monotonicMs() + RECHECK_MS);
    }
    this.#serve();
  }

  #serve(): void {
    while (this.#spenders.size > 0) {
      const day = this.#dependencies.calendar.today();
      const spent = this.#held.spend(day);
      if (spent !== undefined) {
        this.#spenders.answerFirst(spent);
      } else if (this.#held.exhaustedIn(day) !== undefined && this.#returning === undefined) {
        this.#spenders.answerAll("exhausted");
      } else {
        return;
      }
    }
  }
}

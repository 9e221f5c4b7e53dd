// When one subscription's store is asked, and for what: calls are leased ahead of need, and what is too much is given back. One question
// follows the other, so what the store said last is true.

import type { Plan } from "../../catalogue/plan.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { AllowanceDependencies } from "./allowance-dependencies.ts";
import { type LeasedSubscription, type LeaseTransfer, RECHECK_MS } from "./lease-transfer.ts";
import type { Day } from "./month.ts";
import type { SlotLease } from "./slot-lease.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

/** The exchange with the store. */
export class LeaseExchange {
  readonly #dependencies: AllowanceDependencies;
  readonly #held: SlotLease;
  readonly #waiting: WaitingCalls;
  readonly #transfer: LeaseTransfer;
  #running: Promise<void> | undefined;
  #closed = false;
  /** Whether there was no call yet. Then no more than a first lease is fetched. */
  isUncalled = false;

  constructor(dependencies: AllowanceDependencies, held: SlotLease, waiting: WaitingCalls, transfer: LeaseTransfer) {
    this.#dependencies = dependencies;
    this.#held = held;
    this.#waiting = waiting;
    this.#transfer = transfer;
  }

  /** Whether the store is being asked. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Whether it is worth while to wait for the store. */
  get canAnswer(): boolean {
    return !this.#closed && !this.#dependencies.breaker.isOpen;
  }

  /** Asks the store for what is needed, unless it is being asked already or may not be asked. */
  start(): void {
    if (this.#running === undefined && this.#hasQuestion() && this.#dependencies.breaker.admits()) {
      this.#running = this.#run();
    }
  }

  /**
   * From now on calls are leased for another plan, or another subscription. What was leased is given back before anything is leased anew:
   * it may be more than the new plan has.
   */
  follow(subscription: LeasedSubscription): void {
    const day = this.#dependencies.calendar.today();
    this.#transfer.follow(subscription);
    this.giveBack(day, this.#held.renew(day));
  }

  /** Whether calls are leased for this subscription, under this plan. */
  isFor(subscriptionId: string, plan: Plan): boolean {
    return this.#transfer.isFor(subscriptionId, plan);
  }

  /** Gives calls of a day's month back as soon as the store can be asked, before anything is leased. */
  giveBack(day: Day, calls: number): void {
    this.#transfer.returning.add(day, calls);
    this.start();
  }

  /** Gives back what is over the most that a process may hold. While the store is down it is better kept: it can be spent meanwhile. */
  giveBackExcess(day: Day): void {
    if (!this.#dependencies.breaker.isOpen) {
      const excess = this.#transfer.takeExcess(day);
      if (excess > 0) {
        this.giveBack(day, excess);
      }
    }
  }

  /** Charges those that wait, as far as the lease goes. */
  serve(): void {
    // Calls that are on their way back to the store may be leased again.
    this.#waiting.serve(this.#transfer.returning.isEmpty);
  }

  /** The month is used up. Asks once in a while whether that is still so. */
  recheck(): void {
    const { status } = this.#held;
    const nowMs = this.#dependencies.clock.monotonicMs();
    if (nowMs >= status.recheckAtMs) {
      status.recheckAtMs = nowMs + RECHECK_MS;
      status.forgetUnleased();
      this.start();
    }
  }

  /**
   * Gives back what was not spent, and waits for it; asks for nothing from then on. Where the store is not being asked, the slot is empty
   * before the first wait. Never rejects.
   */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#running !== undefined) {
      await this.#running;
    }
    const { calendar, breaker, log } = this.#dependencies;
    const { returning } = this.#transfer;
    const day = calendar.today();
    returning.add(day, this.#held.takeExcess(day, 0));
    if (!returning.isEmpty && breaker.admits()) {
      await this.#transfer.giveBack().catch((error: unknown) => log.warn({ err: error }, "Unspent calls could not be given back"));
    }
  }

  async #run(): Promise<void> {
    try {
      // At least once: another thread may have filled the lease since somebody looked. And if this ended before its first wait, `start`
      // would keep a promise that nobody clears.
      do {
        await this.#transfer.giveBack();
        if (this.#needsLease()) {
          await this.#transfer.lease(this.#waiting.spenders, (day, calls) => this.giveBack(day, calls));
          this.serve();
        }
      } while (this.#hasQuestion());
    } catch (error) {
      this.#transfer.isCautious = true;
      this.#waiting.refuse();
      if (!(error instanceof StoreUnavailable)) {
        this.#dependencies.log.error({ err: error }, "The store refused a lease");
      }
    } finally {
      // In the same turn as the last look at what is needed: a caller that comes after it starts a new run.
      this.#running = undefined;
      this.#held.status.clearRefillRequest();
      this.#waiting.releaseStatusReaders();
    }
  }

  #hasQuestion(): boolean {
    return !this.#closed && (!this.#transfer.returning.isEmpty || this.#needsLease());
  }

  #needsLease(): boolean {
    const day = this.#dependencies.calendar.today();
    return this.#waiting.spenders > 0 || (this.isUncalled ? this.#held.unleased(day) === undefined : this.#held.wantsMore(day));
  }
}

// One subscription's calls of the month, as this process holds them. The thread that owns the store keeps it. Any thread spends what is leased
// in memory, and more is leased ahead of need.

import type { Plan } from "../../catalogue/plan.ts";
import type { AllowanceDependencies } from "./allowance-dependencies.ts";
import { LeaseExchange } from "./lease-exchange.ts";
import { LeaseTransfer } from "./lease-transfer.ts";
import type { Day } from "./month.ts";
import type { LaterSpent, MonthLease, Spent } from "./month-lease.ts";
import { SlotLease } from "./slot-lease.ts";
import { WaitingCalls } from "./waiting-calls.ts";

// The row of this thread's own calls among the calls in flight.
const OWN_THREAD = 0;

// How long a request of another thread for a refill is not passed on again when nothing could be done about it.
const REFILL_PAUSE_MS = 10;

/** One subscription's allowance. */
export class Allowance implements MonthLease {
  readonly name: string;
  readonly slot: number;
  readonly #dependencies: AllowanceDependencies;
  readonly #held: SlotLease;
  readonly #waiting: WaitingCalls;
  readonly #exchange: LeaseExchange;
  /** When it was last asked for, on the monotonic clock. */
  usedAtMs = Number.NEGATIVE_INFINITY;

  constructor(dependencies: AllowanceDependencies, name: string, slot: number, subscriptionId: string, plan: Plan) {
    this.#dependencies = dependencies;
    this.name = name;
    this.slot = slot;
    this.#held = SlotLease.claim(dependencies.words, slot);
    this.#waiting = new WaitingCalls(dependencies, this.#held);
    const transfer = new LeaseTransfer(dependencies, name, this.#held, { id: subscriptionId, plan });
    this.#exchange = new LeaseExchange(dependencies, this.#held, this.#waiting, transfer);
  }

  /** Whether the store is not being asked, no call waits, and every charged call has been settled. */
  get isIdle(): boolean {
    return !this.#exchange.isRunning && this.#waiting.spenders === 0 && !this.#dependencies.inFlight.hasAny(this.slot);
  }

  /** Changes with each plan and subscription that was followed to; part of the ids of this one's leases. */
  get generation(): number {
    return this.#held.generation;
  }

  /** Follows the account to another plan, or to the subscription that came after this one. */
  follow(subscriptionId: string, plan: Plan): void {
    if (!this.#exchange.isFor(subscriptionId, plan)) {
      this.#exchange.follow({ id: subscriptionId, plan });
    }
  }

  spend(day: Day): Spent | undefined {
    this.#exchange.isUncalled = false;
    const spent = this.#held.spend(day);
    if (spent !== undefined && this.#held.isLow(spent)) {
      this.#exchange.start();
    }
    return spent;
  }

  spendLater(): Promise<LaterSpent> {
    this.#exchange.isUncalled = false;
    if (this.#held.exhaustedIn(this.#dependencies.calendar.today()) !== this.#dependencies.epoch(this.name)) {
      // What the store said before the account's last change is asked again, even if this call does not wait for the answer.
      this.#held.status.clearExhausted();
    }
    const answer = this.#exchange.canAnswer ? this.#waiting.waitForCall() : Promise.resolve("unavailable" as const);
    this.#exchange.start();
    return answer;
  }

  isExhausted(day: Day): boolean {
    if (this.#held.exhaustedIn(day) !== this.#dependencies.epoch(this.name)) {
      return false;
    }
    this.#exchange.recheck();
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

  /** Takes back calls that were spent from the lease of this id. Calls of another month stay spent. */
  takeBack(day: Day, leaseId: number, calls: number): void {
    if (day.monthNumber !== this.#dependencies.calendar.today().monthNumber) {
      return;
    }
    if (leaseId === this.#held.leaseIdOf(day)) {
      this.#held.refund(leaseId, calls);
      this.#exchange.serve();
      this.#exchange.giveBackExcess(day);
    } else {
      this.#exchange.giveBack(day, calls);
    }
  }

  /** Takes back the calls that a thread had under way when it died. Calls from before the present plan or month stay spent. */
  reclaim(leaseId: number, calls: number): void {
    const day = this.#dependencies.calendar.today();
    if (leaseId === this.#held.leaseIdOf(day)) {
      this.takeBack(day, leaseId, calls);
    }
  }

  /** Lets threads ask for a refill again: one that has died may have noted a request and not sent it. */
  clearRefillRequest(): void {
    this.#held.status.clearRefillRequest();
  }

  /** Fills the lease up, or gives back what is too much: another thread saw that this is needed, or that it is time to ask again. */
  refill(): void {
    this.#exchange.isUncalled = false;
    const day = this.#dependencies.calendar.today();
    this.#exchange.giveBackExcess(day);
    this.isExhausted(day);
    this.#exchange.start();
    if (!this.#exchange.isRunning) {
      this.#dependencies.clock.after(REFILL_PAUSE_MS, () => this.#held.status.clearRefillRequest());
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
    const answer = isKnown || !this.#exchange.canAnswer ? Promise.resolve() : this.#waiting.waitForStatus();
    this.#exchange.start();
    return answer;
  }

  /** Fetches a first lease ahead of the first call, and no more than that until there is one. Never rejects. */
  async load(): Promise<void> {
    this.#exchange.isUncalled = true;
    await this.awaitStatus();
  }

  /** Gives back what was not spent, and waits for it. An idle allowance lets go of its slot before the first wait. Never rejects. */
  close(): Promise<void> {
    return this.#exchange.close();
  }
}

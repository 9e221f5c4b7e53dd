// A subscription's month as a worker thread sees it. The worker spends and refunds in shared memory by itself, and tells the main thread when
// the lease needs a refill. A lease belongs to one subscription, one plan and one generation of its slot. When any of them changes there is a
// new lease; calls that were charged under the old one can still be refunded.

import type { Plan } from "../catalogue/plan.ts";
import { accountOf } from "../guard/keys/access.ts";
import type { Epoch } from "../guard/memory/epoch.ts";
import type { SlotWords } from "../guard/memory/slots.ts";
import type { CallsInFlight } from "../guard/quota/calls-in-flight.ts";
import { refundCalls } from "../guard/quota/lease.ts";
import { leaseMax } from "../guard/quota/lease-size.ts";
import type { Calendar, Day } from "../guard/quota/month.ts";
import type { LaterSpent, MonthLease, Spent } from "../guard/quota/month-lease.ts";
import { SlotLease } from "../guard/quota/slot-lease.ts";
import type { Clock } from "../runtime/clock.ts";
import type { MainThreadClient } from "./main-thread-client.ts";
import type { LeaseClaim, LeasePlace } from "./messages.ts";

/** What all leases of a worker thread work with. */
export interface RemoteLeaseDependencies {
  readonly mainThread: MainThreadClient;
  readonly thread: number;
  readonly words: SlotWords;
  readonly inFlight: CallsInFlight;
  readonly epoch: Epoch;
  readonly calendar: Calendar;
  readonly clock: Clock;
  /** Aborts when the thread is about to die, before it cuts its callers off. */
  readonly dying: AbortSignal;
}

/** One subscription's lease. */
export class RemoteLease implements MonthLease {
  readonly name: string;
  readonly slot: number;
  readonly #dependencies: RemoteLeaseDependencies;
  readonly #held: SlotLease;
  readonly #plan: Plan;
  // Where changes of the account are counted.
  readonly #cell: number;
  // With the epoch in which the plan was surely in force. This lease knows nothing of later changes.
  readonly #claim: LeaseClaim;

  constructor(dependencies: RemoteLeaseDependencies, place: LeasePlace, plan: Plan, claim: LeaseClaim) {
    this.name = claim.key;
    this.slot = place.slot;
    this.#dependencies = dependencies;
    this.#held = new SlotLease(dependencies.words, place.slot, place.generation);
    this.#plan = plan;
    this.#cell = dependencies.epoch.cellOf(accountOf(claim.key));
    this.#claim = claim;
  }

  /** Whether this is still the lease of the subscription on this plan. */
  isOf(subscriptionId: string, plan: Plan): boolean {
    return this.#plan === plan && this.#claim.subscriptionId === subscriptionId && this.#held.isCurrent;
  }

  spend(day: Day): Spent | undefined {
    const spent = this.#held.spend(day);
    if (spent !== undefined && this.#held.isLow(spent)) {
      this.#requestRefill();
    }
    return spent;
  }

  async spendLater(): Promise<LaterSpent> {
    try {
      return await this.#dependencies.mainThread.ask({ about: "spend", asked: this.#claim });
    } catch {
      // The main thread has logged why.
      return "unavailable";
    }
  }

  isExhausted(day: Day): boolean {
    if (this.#held.exhaustedIn(day) !== this.#dependencies.epoch.at(this.#cell)) {
      return false;
    }
    if (this.#dependencies.clock.monotonicMs() >= this.#held.status.recheckAtMs) {
      this.#requestRefill();
    }
    return true;
  }

  begin({ slot, leaseId }: Spent): void {
    this.#dependencies.inFlight.begin(this.#dependencies.thread, slot, leaseId);
  }

  end({ day, slot, leaseId }: Spent, refunded: boolean): void {
    const { inFlight, thread, words, calendar, mainThread, dying } = this.#dependencies;
    if (dying.aborted) {
      // The callers were cut off by us: they did not go, and nothing is settled here. The main thread refunds what a dead thread had under way.
      return;
    }
    inFlight.end(thread, slot, leaseId);
    if (!refunded || day.monthNumber !== calendar.today().monthNumber) {
      return;
    }
    const left = refundCalls(words, slot, leaseId, 1);
    if (left === 0) {
      mainThread.tell({ kind: "takeBack", key: this.name, day, leaseId });
    } else if (left > leaseMax(this.#plan)) {
      this.#requestRefill();
    }
  }

  monthRemaining(day: Day): number | undefined {
    return this.#held.monthRemaining(day);
  }

  awaitStatus(): Promise<unknown> {
    return this.#dependencies.mainThread.ask({ about: "monthStatus", asked: this.#claim }).catch(() => {});
  }

  #requestRefill(): void {
    if (this.#held.status.requestRefill()) {
      this.#dependencies.mainThread.tell({ kind: "refill", key: this.name });
    }
  }
}

// A subscription's monthly quota as a worker thread sees it. The worker spends and refunds in shared memory directly, and tells the main
// thread when the lease needs a refill. A lease belongs to one subscription, one plan and one generation of its slot. When any of them
// changes there is a new lease; calls that were charged under the old one can still be refunded.
import { accountOf } from "../guard/keys/access.ts";
import type { CallsInFlight, Epoch, SlotWords } from "../guard/memory/slots.ts";
import { leaseMax } from "../guard/quota/lease-size.ts";
import type { LaterSpent, MonthLease, Spent } from "../guard/quota/month-lease.ts";
import type { RefillRound } from "../guard/quota/refill-round.ts";
import { isSameMonth, SlotLease } from "../guard/quota/slot-lease.ts";
import type { Calendar, Day } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { LeaseSubject, PlanTerms } from "../store/records.ts";
import type { MainThreadClient } from "./main-thread-client.ts";
import type { LeaseClaim, LeaseSlot } from "./messages.ts";

export interface RemoteLeaseOptions {
  readonly mainThread: MainThreadClient;
  readonly thread: number;
  readonly words: SlotWords;
  readonly inFlight: CallsInFlight;
  readonly epoch: Epoch;
  readonly calendar: Calendar;
  readonly clock: Clock;
  /** The leases that are running low, by name. */
  readonly refills: RefillRound<string>;
  /** Aborts when the thread is about to die, before it disconnects its callers. */
  readonly endSignal: AbortSignal;
}

export class RemoteLease implements MonthLease {
  readonly name: string;
  readonly slot: number;
  readonly #options: RemoteLeaseOptions;
  readonly #held: SlotLease;
  // The cell of `epoch` that counts changes to the account.
  readonly #cell: number;
  // Its `epoch` is one at which the plan is known to have been active. The claim is not updated when the account changes.
  readonly #claim: LeaseClaim;

  constructor(options: RemoteLeaseOptions, place: LeaseSlot, claim: LeaseClaim) {
    this.name = claim.key;
    this.slot = place.slot;
    this.#options = options;
    this.#held = new SlotLease(options.words, place.slot, place.generation);
    this.#cell = options.epoch.cellOf(accountOf(claim.key));
    this.#claim = claim;
  }

  /** Whether this is still the lease of the subject on these terms. */
  isOf(subject: LeaseSubject, terms: PlanTerms): boolean {
    return isSameMonth(this.#claim, subject, terms) && this.#held.isCurrent;
  }

  spend(day: Day): Spent | undefined {
    const spent = this.#held.spend(day);
    if (spent !== undefined && this.#held.isLow(spent)) {
      this.#requestRefill(this.#held.isAlmostSpent(spent.left));
    }
    return spent;
  }

  async spendLater(): Promise<LaterSpent> {
    try {
      return await this.#options.mainThread.request({ kind: "spend", input: this.#claim });
    } catch {
      // The main thread has logged why.
      return "unavailable";
    }
  }

  isExhausted(day: Day): boolean {
    if (this.#held.exhaustedEpoch(day) !== this.#options.epoch.at(this.#cell)) {
      return false;
    }
    if (this.#options.clock.monotonicMs() >= this.#held.recheckAtMs) {
      this.#requestRefill(true);
    }
    return true;
  }

  begin({ slot, leaseId }: Spent): void {
    this.#options.inFlight.begin(this.#options.thread, slot, leaseId);
  }

  end({ day, slot, leaseId }: Spent, refunded: boolean): void {
    const { inFlight, thread, calendar, mainThread, endSignal } = this.#options;
    if (endSignal.aborted) {
      // This thread is disconnecting its callers; they did not leave by themselves. So nothing is settled here: the main thread refunds the
      // calls that a dead thread had in progress.
      return;
    }
    inFlight.end(thread, slot, leaseId);
    if (!refunded || day.monthNumber !== calendar.today().monthNumber) {
      return;
    }
    const left = this.#held.refund(leaseId, 1);
    if (left === 0) {
      mainThread.send({ kind: "refund", key: this.name, day, leaseId });
    } else if (left > leaseMax(this.#claim.terms)) {
      this.#requestRefill(false);
    }
  }

  monthRemaining(day: Day): number | undefined {
    return this.#held.monthRemaining(day);
  }

  awaitStatus(): Promise<unknown> {
    return this.#options.mainThread.request({ kind: "monthStatus", input: this.#claim }).catch(() => {});
  }

  #requestRefill(isUrgent: boolean): void {
    if (this.#held.requestRefill(isUrgent)) {
      const { refills } = this.#options;
      refills.add(this.name);
      if (isUrgent) {
        refills.now();
      }
    }
  }
}

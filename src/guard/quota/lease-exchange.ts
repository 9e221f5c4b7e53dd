// One subscription's exchange with the store: calls are leased ahead of need, and excess calls are returned. Queries run one after
// another, so the store's last report is always current. If the outcome of a query is unknown, its calls count as lost; they are never
// granted twice.
import type { Calendar, Day } from "../../runtime/calendar.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { LeasedCalls, LeaseGrant, LeaseSubject, PlanTerms } from "../../store/records.ts";
import type { GuardStore } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import type { WaitQueueLimits } from "../breaker/wait-queue.ts";
import type { CallsInFlight, SlotWords } from "../memory/slots.ts";
import { leaseMax, leaseSize, leaseWant, lowWaterOf } from "./lease-size.ts";
import type { RefillRound } from "./refill-round.ts";
import type { SlotLease } from "./slot-lease.ts";
import { isSameMonth, type LeasedMonth } from "./slot-lease.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

// How long a report that the quota is used up is trusted before the store is queried again: another process may have returned calls.
const RECHECK_MS = 10_000;

export interface AllowanceOptions {
  readonly store: Pick<GuardStore, "lease" | "returnCalls" | "nodeStatus">;
  readonly breaker: StoreBreaker;
  readonly clock: Clock;
  readonly log: Log;
  readonly words: SlotWords;
  readonly inFlight: CallsInFlight;
  readonly calendar: Calendar;
  /** The count of changes of the account that an allowance's key names. */
  readonly epoch: (key: string) => number;
  /** The most callers that may wait for one subscription's lease, and how long. */
  readonly limits: WaitQueueLimits;
  /** Leases that run low. */
  readonly refills: RefillRound<LeaseExchange>;
}

export class LeaseExchange {
  readonly #options: AllowanceOptions;
  readonly #name: string;
  readonly #slotLease: SlotLease;
  readonly #waiting: WaitingCalls;
  #leased: LeasedMonth;
  // What must be returned next: one month's calls, added up.
  #due: { readonly day: Day; readonly calls: number } | undefined;
  #running: Promise<void> | undefined;
  #closed = false;
  // After a failure, whatever the store may have granted is lost. So the next query risks only one call.
  #hasFailed = false;
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  /** Whether there has been no call yet. If so, no more than a first lease is fetched. */
  isUnused = false;

  constructor(options: AllowanceOptions, name: string, slotLease: SlotLease, waiting: WaitingCalls, leased: LeasedMonth) {
    this.#options = options;
    this.#name = name;
    this.#slotLease = slotLease;
    this.#waiting = waiting;
    this.#leased = leased;
  }

  /** Whether a query to the store is in progress. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** When the store last reported what is left of the quota, on the monotonic clock. */
  get reportedAtMs(): number {
    return this.#reportedAtMs;
  }

  /** Whether waiting for the store is worthwhile. */
  get canQuery(): boolean {
    return !this.#closed && !this.#options.breaker.isOpen;
  }

  /** Queries the store for what is needed, unless a query is already in progress or the store must not be queried. */
  start(): void {
    if (this.#running === undefined && this.#needsQuery() && this.#options.breaker.admits()) {
      this.#running = this.#run();
      // Other leases that run low are refilled in the same statement.
      this.#options.refills.now();
    }
  }

  /** Queries the store for a low lease, with `left` calls: together with other low leases if there is time. */
  startLow(left: number): void {
    if (this.#slotLease.isAlmostSpent(left)) {
      this.start();
    } else if (this.#running === undefined && this.#needsQuery()) {
      this.#options.refills.add(this);
    }
  }

  /**
   * Leases calls for this subject on these terms from now on. If either has changed, what was leased is returned first, because it may be
   * more than the new terms include.
   */
  follow(subject: LeaseSubject, terms: PlanTerms): void {
    if (!isSameMonth(this.#leased, subject, terms)) {
      const day = this.#options.calendar.today();
      this.#leased = { subject, terms };
      this.returnCalls(day, this.#slotLease.renew(day));
    }
  }

  /** Returns calls of the month that the day is in, as soon as the store can be queried, before anything is leased. */
  returnCalls(day: Day, calls: number): void {
    this.#addDue(day, calls);
    this.start();
  }

  /** Returns to the store what exceeds the most that a process may hold, but not while the store is down: then it can be spent. */
  returnExcess(day: Day): void {
    if (!this.#options.breaker.isOpen) {
      const excess = this.#slotLease.shrink(day, leaseMax(this.#leased.terms));
      if (excess > 0) {
        this.returnCalls(day, excess);
      }
    }
  }

  get subject(): LeaseSubject {
    return this.#leased.subject;
  }

  /**
   * Given how many of a month's calls all nodes have leased, and how many calls were added to the plan's, returns to the store whatever
   * exceeds one node's share of the rest. Does nothing while a query is in progress, because its report will be newer.
   */
  compare({ month, leased, credited }: Pick<LeasedCalls, "month" | "leased" | "credited">): void {
    const day = this.#options.calendar.today();
    if (this.#running !== undefined || month !== day.month) {
      return;
    }
    this.#reportedAtMs = this.#options.clock.monotonicMs();
    const { terms } = this.#leased;
    const unleased = Math.max(0, terms.callsPerMonth + credited - leased);
    const kept = unleased === 0 ? 0 : leaseSize(terms, unleased, this.#nodes);
    const excess = this.#slotLease.shrink(day, kept);
    if (excess > 0) {
      this.#slotLease.noteGranted(day, 0, unleased, lowWaterOf(kept));
      // Nothing is leased again before the next call.
      this.isUnused = true;
      this.returnCalls(day, excess);
    }
  }

  /** Charges the waiting calls, until the lease is spent. */
  serve(): void {
    // While calls still have to be returned, the quota does not count as used up, because they can be leased again.
    this.#waiting.serve(this.#due === undefined);
  }

  /** Checks once in a while whether a quota that was used up still is. */
  recheck(): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs >= this.#slotLease.recheckAtMs) {
      this.#slotLease.recheckAtMs = nowMs + RECHECK_MS;
      this.#slotLease.forgetUnleased();
      this.start();
    }
  }

  /**
   * Returns unspent calls to the store, and waits for it; leases nothing from then on. If no query is in progress, the slot is empty
   * before the first wait. Never rejects.
   */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#running !== undefined) {
      await this.#running;
    }
    const { calendar, breaker, log } = this.#options;
    const day = calendar.today();
    this.#addDue(day, this.#slotLease.shrink(day, 0));
    if (this.#due !== undefined && breaker.admits()) {
      await this.#returnDue().catch((error: unknown) => log.warn({ err: error }, "Unspent calls could not be returned"));
    }
  }

  async #run(): Promise<void> {
    try {
      // Runs at least once: another thread may have filled the lease since the last check. And if this ended before its first wait, `start`
      // would keep a promise that is never cleared.
      do {
        await this.#returnDue();
        if (this.#needsLease()) {
          await this.#lease();
          this.serve();
        }
      } while (this.#needsQuery());
    } catch (error) {
      this.#hasFailed = true;
      this.#waiting.refuse();
      if (!(error instanceof StoreUnavailable)) {
        this.#options.log.error({ err: error }, "The store refused a lease");
      }
    } finally {
      // This happens in the same turn as the last check of what is needed, so a caller that comes later starts a new run.
      this.#running = undefined;
      this.#slotLease.clearRefillRequest();
      this.#waiting.releaseStatusReaders();
    }
  }

  #needsQuery(): boolean {
    return !this.#closed && (this.#due !== undefined || this.#needsLease());
  }

  #needsLease(): boolean {
    const day = this.#options.calendar.today();
    return (
      this.#waiting.chargeCount > 0 ||
      (this.isUnused ? this.#slotLease.unleased(day) === undefined : this.#slotLease.needsMore(day))
    );
  }

  // A past month's calls are useless, and must not take the place of this month's.
  #addDue(day: Day, calls: number): void {
    if (calls > 0 && day.monthNumber === this.#options.calendar.today().monthNumber) {
      const before = this.#due?.day.monthNumber === day.monthNumber ? this.#due.calls : 0;
      this.#due = { day, calls: before + calls };
    }
  }

  // Rejects as the store does.
  async #returnDue(): Promise<void> {
    const { store, breaker, calendar } = this.#options;
    const due = this.#due;
    this.#due = undefined;
    if (due !== undefined && due.day.monthNumber === calendar.today().monthNumber) {
      await breaker.run(() => store.returnCalls(this.#leased.subject, due.day.month, due.calls));
      this.#slotLease.noteReturned(due.day, due.calls);
    }
  }

  // Leases calls, at least one for each waiting caller. Rejects as the store does; calls that it grants after that are returned.
  async #lease(): Promise<void> {
    const { calendar, store, breaker } = this.#options;
    const day = calendar.today();
    const { subject, terms } = this.#leased;
    const size = leaseWant(terms, this.#slotLease.unleased(day), this.#nodes, this.#slotLease.left(day), this.#waiting.chargeCount);
    const want = this.#hasFailed ? 1 : size;
    const grant = await breaker.run(
      () => store.lease(subject, day.month, terms.callsPerMonth, want),
      (late) => this.returnCalls(day, late.granted),
    );
    this.#hasFailed = false;
    this.#reportedAtMs = this.#options.clock.monotonicMs();
    if (isSameMonth(this.#leased, subject, terms)) {
      this.#take(grant, day, terms);
    } else {
      this.#addDue(day, grant.granted);
    }
  }

  #take({ granted, unleased }: LeaseGrant, day: Day, terms: PlanTerms): void {
    const { calendar, clock, epoch } = this.#options;
    // No calls are needed for a past month.
    if (day.monthNumber !== calendar.today().monthNumber) {
      return;
    }
    const leased = Math.min(this.#slotLease.left(day) + granted, leaseSize(terms, unleased, this.#nodes));
    this.#slotLease.noteGranted(day, granted, unleased, lowWaterOf(leased));
    if (granted === 0) {
      this.#slotLease.noteExhausted(day, epoch(this.#name), clock.monotonicMs() + RECHECK_MS);
    }
  }

  get #nodes(): number {
    return this.#options.store.nodeStatus.aliveNodes;
  }
}

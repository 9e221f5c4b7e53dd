// Moves calls of one subscription's month between the store and this process: leases some, or gives some back. A question whose outcome is
// unknown counts as calls lost, never as calls granted twice.

import type { Plan } from "../../catalogue/plan.ts";
import type { LeaseGrant } from "../../store/records.ts";
import type { AllowanceDependencies } from "./allowance-dependencies.ts";
import { leaseMax, leaseSize, leaseWant } from "./lease-size.ts";
import type { Day } from "./month.ts";
import { ReturningCalls } from "./returning-calls.ts";
import type { SlotLease } from "./slot-lease.ts";

/** How long "the month is used up" is believed before the store is asked again: another process may have given calls back. */
export const RECHECK_MS = 10_000;

/** The subscription that calls are leased for. */
export interface LeasedSubscription {
  readonly id: string;
  readonly plan: Plan;
}

/** Both directions. */
export class LeaseTransfer {
  /** What is to be given back next. */
  readonly returning: ReturningCalls;
  readonly #dependencies: AllowanceDependencies;
  readonly #name: string;
  readonly #held: SlotLease;
  #subscription: LeasedSubscription;
  /** After a failure what the store may have granted is lost. So the next question risks one call only. */
  isCautious = false;

  constructor(dependencies: AllowanceDependencies, name: string, held: SlotLease, subscription: LeasedSubscription) {
    this.returning = new ReturningCalls(dependencies.calendar);
    this.#dependencies = dependencies;
    this.#name = name;
    this.#held = held;
    this.#subscription = subscription;
  }

  /** Whether calls are leased for this subscription, under this plan. */
  isFor(subscriptionId: string, plan: Plan): boolean {
    return plan === this.#subscription.plan && subscriptionId === this.#subscription.id;
  }

  /** From now on calls are leased for this subscription. What is granted to the one before is given back. */
  follow(subscription: LeasedSubscription): void {
    this.#subscription = subscription;
  }

  /** Takes out of the lease what is over the most that a process may hold. Returns how many calls that are. */
  takeExcess(day: Day): number {
    return this.#held.takeExcess(day, leaseMax(this.#subscription.plan));
  }

  /** Gives back what is to be given back. Rejects as the store does. */
  async giveBack(): Promise<void> {
    const { store, breaker } = this.#dependencies;
    const returning = this.returning.takeAll();
    if (returning !== undefined) {
      const { day, calls } = returning;
      await breaker.ask(() => store.giveBack(this.#subscription.id, day.month, calls));
      this.#held.returned(day, calls);
    }
  }

  /** Leases calls, for `waiting` callers at least. Rejects as the store does; calls granted after that go to `onLate`. */
  async lease(waiting: number, onLate: (day: Day, calls: number) => void): Promise<void> {
    const { calendar, store, breaker } = this.#dependencies;
    const day = calendar.today();
    const { id, plan } = this.#subscription;
    const want = this.isCautious ? 1 : leaseWant(plan, this.#held.unleased(day), this.#nodes, this.#held.left(day), waiting);
    const grant = await breaker.ask(
      () => store.lease(id, day.month, plan.callsPerMonth, want),
      (late) => onLate(day, late.granted),
    );
    this.isCautious = false;
    if (this.isFor(id, plan)) {
      this.#take(grant, day, plan);
    } else {
      this.returning.add(day, grant.granted);
    }
  }

  get #nodes(): number {
    return this.#dependencies.store.nodeStatus.aliveNodes;
  }

  #take({ granted, unleased }: LeaseGrant, day: Day, plan: Plan): void {
    const { calendar, clock, epoch } = this.#dependencies;
    // A month that is over needs no calls.
    if (day.monthNumber !== calendar.today().monthNumber) {
      return;
    }
    this.#held.grant(day, granted, unleased, Math.max(1, Math.floor(leaseSize(plan, unleased, this.#nodes) / 2)));
    if (granted === 0) {
      this.#held.exhausted(day, epoch(this.#name), clock.monotonicMs() + RECHECK_MS);
    }
  }
}

// What the thread that owns the store keeps for all threads of the process: the months' leases, and the memory in which calls are charged.
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { GuardStore } from "../store/store.ts";
import { accountOf } from "./access.ts";
import { Allowances } from "./allowances.ts";
import { SharedBuckets } from "./bucket.ts";
import { CallsUnderWay } from "./calls-under-way.ts";
import { Epoch } from "./epoch.ts";
import type { GuardLimits } from "./guard-limits.ts";
import { Calendar } from "./month.ts";
import { SlotTable, type SlotWords } from "./slots.ts";
import { StoreBreaker } from "./store-breaker.ts";

/** What the owner works with. */
export interface LeaseOwnerOptions {
  readonly store: Pick<GuardStore, "lease" | "giveBack" | "onChange">;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: GuardLimits;
  /** How many threads admit calls. */
  readonly threads: number;
}

/** The memory that all threads share. All of it can be handed to another thread. */
export interface GuardMemory {
  readonly slots: SlotWords;
  readonly underWay: BigInt64Array;
  readonly epoch: Uint32Array;
}

/** The leases, and what goes with them. */
export interface LeaseOwner {
  readonly allowances: Allowances;
  readonly breaker: StoreBreaker;
  readonly calendar: Calendar;
  readonly epoch: Epoch;
  readonly underWay: CallsUnderWay;
  readonly memory: GuardMemory;
  /** Gives back unspent calls. Call it when all calls are settled and before the store is closed. Never rejects. */
  close(): Promise<void>;
}

/** Takes ownership of a store's leases. */
export function createLeaseOwner({ store, clock, log, limits, threads }: LeaseOwnerOptions): LeaseOwner {
  const calendar = new Calendar(clock);
  const breaker = new StoreBreaker(clock, log, limits);
  const slots = new SlotTable(limits.subscriptionsMax);
  const { words } = slots;
  const underWay = new CallsUnderWay(threads, limits.subscriptionsMax);
  const epoch = new Epoch();
  const means = { store, breaker, calendar, clock, log, words, underWay, epoch: (key: string) => epoch.of(accountOf(key)), limits };
  const allowances = new Allowances(means, slots, new SharedBuckets(words));
  const stopListening = store.onChange((accountId) => epoch.bump(accountId));
  return {
    allowances,
    breaker,
    calendar,
    epoch,
    underWay,
    memory: { slots: words, underWay: underWay.words, epoch: epoch.cells },
    async close() {
      stopListening();
      await allowances.close();
    },
  };
}

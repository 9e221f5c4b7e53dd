// What the thread that owns the store manages for all threads of the process: the leases of monthly quotas, and the shared memory for
// charging calls.
import { Calendar } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { GuardStore } from "../store/store.ts";
import { StoreBreaker } from "./breaker/store-breaker.ts";
import type { GuardLimits } from "./guard-limits.ts";
import { accountOf, allowanceKeyOf } from "./keys/access.ts";
import { CallsInFlight, Epoch, SlotTable, type SlotWords } from "./memory/slots.ts";
import { Allowances } from "./quota/allowances.ts";
import type { LeaseExchange } from "./quota/lease-exchange.ts";
import { RefillRound } from "./quota/refill-round.ts";
import { SharedBuckets } from "./rate/bucket.ts";

// The most subscriptions that are loaded before the first call, and how long startup waits for them.
const BUSIEST_MAX = 1000;
const LOADING_MS = 2000;

interface LeaseOwnerOptions {
  readonly store: Pick<GuardStore, "lease" | "returnCalls" | "onChange" | "busiestSubscriptions" | "nodeStatus">;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: GuardLimits;
  /** How many threads admit calls. */
  readonly threads: number;
}

/** The memory that all threads share. All of it can be passed to another thread. */
export interface GuardMemory {
  readonly slots: SlotWords;
  readonly inFlight: BigInt64Array;
  readonly epoch: Uint32Array;
}

export interface LeaseOwner {
  readonly allowances: Allowances;
  readonly breaker: StoreBreaker;
  readonly calendar: Calendar;
  readonly epoch: Epoch;
  readonly inFlight: CallsInFlight;
  readonly memory: GuardMemory;
  /**
   * Fetches the leases of the busiest subscriptions, so that their first calls need not wait. Stops after two seconds. Never rejects.
   */
  loadBusiest(): Promise<void>;
  /**
   * Returns unspent calls to the store, within `withinMs`. Call it when all calls are settled and before the store is closed. Never
   * rejects.
   */
  close(withinMs: number): Promise<void>;
}

/** Takes ownership of a store's leases. */
export function createLeaseOwner({ store, clock, log, limits, threads }: LeaseOwnerOptions): LeaseOwner {
  const calendar = new Calendar(clock);
  const breaker = new StoreBreaker(clock, log, limits);
  const slots = new SlotTable(limits.subscriptionsMax);
  const { words } = slots;
  const inFlight = new CallsInFlight(threads, limits.subscriptionsMax);
  const epoch = new Epoch();
  const refills = new RefillRound<LeaseExchange>(clock, (exchanges) => {
    for (const exchange of exchanges) {
      exchange.start();
    }
  });
  const options = {
    store,
    breaker,
    calendar,
    clock,
    log,
    words,
    inFlight,
    epoch: (key: string) => epoch.of(accountOf(key)),
    limits,
    refills,
  };
  const allowances = new Allowances(options, slots, new SharedBuckets(words));
  const stopListening = store.onChange((accountId) => epoch.bump(accountId));
  return {
    allowances,
    breaker,
    calendar,
    epoch,
    inFlight,
    memory: { slots: words, inFlight: inFlight.words, epoch: epoch.cells },
    async loadBusiest() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(LOADING_MS, resolve);
      const load = async (): Promise<void> => {
        const subscriptions = await breaker.run(() => store.busiestSubscriptions(calendar.today().month, BUSIEST_MAX));
        const loading = subscriptions.map(({ id, accountId, terms }) =>
          allowances.of(allowanceKeyOf(accountId, terms.service), id, terms)?.load(),
        );
        await Promise.all(loading);
      };
      const loaded = load().catch((error: unknown) => log.warn({ err: error }, "The busiest subscriptions could not be loaded"));
      await Promise.race([loaded, late]);
      cancel();
    },
    async close(withinMs) {
      stopListening();
      refills.stop();
      await allowances.close(withinMs);
    },
  };
}

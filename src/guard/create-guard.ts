// Puts the guard of a process together that serves with one thread, and takes it apart again without losing a call.

import type { Plans } from "../catalogue/plans.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { GuardStore } from "../store/store.ts";
import type { Guard } from "./guard.ts";
import { defaultGuardLimits, type GuardLimits } from "./guard-limits.ts";
import { createLeaseOwner } from "./lease-owner.ts";
import type { Day } from "./quota/month.ts";
import { createThreadGuard, type ShareRate } from "./thread-guard.ts";

const CLOSE_MS = 10_000;

/** What a guard is made from. */
export interface GuardOptions {
  readonly store: GuardStore;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly log: Log;
  /** Bounds other than the defaults. */
  readonly limits?: Partial<GuardLimits>;
  /** Where several nodes count the second together. */
  readonly shareRate?: ShareRate | undefined;
}

/** A guard that can be closed. */
export interface ClosableGuard extends Guard {
  /** Fetches the leases of the subscriptions that are called most. Call it before the first call. Never rejects. */
  loadBusiest(): Promise<void>;
  /**
   * Gives back unspent calls, within so long at most, and writes the usage. Call it when all calls are settled and before the store is
   * closed. From then on every call is refused. Never rejects.
   */
  close(withinMs?: number): Promise<void>;
  /** Calls of the month that this process holds for an account and service, which `key` names, and has not spent. */
  unspent(key: string, day: Day): number;
}

/** The guard of a process that serves with one thread. */
export function createGuard({ store, plans, clock, log, limits: some, shareRate }: GuardOptions): ClosableGuard {
  const limits = { ...defaultGuardLimits, ...some };
  const owner = createLeaseOwner({ store, clock, log, limits, threads: 1 });
  const { breaker, calendar, epoch, memory, allowances } = owner;
  const { slots } = memory;
  const thread = createThreadGuard({
    store,
    plans,
    clock,
    log,
    limits,
    shareRate,
    breaker,
    calendar,
    epoch,
    slots,
    nodeStatus: store.nodeStatus,
    leases: allowances,
  });
  // After the owner, who counts the change.
  const stopListening = store.onChange((accountId) => thread.changed(accountId));
  let closing: Promise<void> | undefined;
  const close = async (withinMs: number): Promise<void> => {
    thread.stop();
    stopListening();
    await owner.close(withinMs);
    await thread.close();
  };
  return {
    admit: (request) => thread.admit(request),
    loadBusiest: () => owner.loadBusiest(plans),
    unspent: (key, day) => allowances.left(key, day),
    close(withinMs = CLOSE_MS) {
      closing ??= close(withinMs);
      return closing;
    },
  };
}

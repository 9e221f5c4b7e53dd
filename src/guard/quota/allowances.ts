// The allowances in use, one for each account and service, and for each cap of a key: a subscription that follows a cancelled one continues
// its count. Their number is bounded. When there is no room, those that have not been used for a while are evicted and return their unspent
// calls.
import type { Day } from "../../runtime/calendar.ts";
import type { LeaseSubject, PlanTerms } from "../../store/records.ts";
import type { InFlightCalls } from "../memory/calls-in-flight.ts";
import type { SlotTable } from "../memory/slots.ts";
import { Allowance } from "./allowance.ts";
import type { AllowanceOptions } from "./lease-exchange.ts";
import type { MonthLeases } from "./month-lease.ts";

// An allowance is evicted only after this time without use: until then, it may well be used again.
const IDLE_MS = 1000;
const SWEEP_EVERY_MS = 100;
// The most allowances that are evicted at a time.
const EVICTED_MAX = 32;
// The most allowances that return their calls at the same time when all are closed: enough to fill several of the store's batches.
const CLOSING_MAX = 1000;
// The shortest time between two warnings that there is no room.
const LOG_EVERY_MS = 10_000;

/** Knows how long a subscription has not been called. */
export interface CallActivity {
  /** How long the bucket of a slot has been full, in milliseconds; negative while it is not. */
  fullForMs(slot: number, nowMs: number): number;
}

export class Allowances implements MonthLeases {
  readonly #options: AllowanceOptions;
  readonly #slots: SlotTable;
  readonly #activity: CallActivity;
  readonly #byKey = new Map<string, Allowance>();
  #sweepAtMs = Number.NEGATIVE_INFINITY;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  readonly #nextToEvict = this.roundRobin();

  constructor(options: AllowanceOptions, slots: SlotTable, activity: CallActivity) {
    this.#options = options;
    this.#slots = slots;
    this.#activity = activity;
  }

  of(key: string, subject: LeaseSubject, terms: PlanTerms): Allowance | undefined {
    const nowMs = this.#options.clock.monotonicMs();
    const found = this.#byKey.get(key);
    if (found !== undefined) {
      found.usedAtMs = nowMs;
      found.follow(subject, terms);
      return found;
    }
    const slot = this.#slots.take() ?? this.#sweep(nowMs);
    if (slot === undefined) {
      this.#logNoRoom(nowMs);
      return undefined;
    }
    const created = new Allowance(this.#options, key, slot, subject, terms);
    created.usedAtMs = nowMs;
    this.#byKey.set(key, created);
    return created;
  }

  /** The current allowance of an account and service. */
  current(key: string): Allowance | undefined {
    return this.#byKey.get(key);
  }

  /** This month's calls that this process holds for an account and service and has not spent. */
  left(key: string, day: Day): number {
    return this.#byKey.get(key)?.left(day) ?? 0;
  }

  /** Returns a function that cycles through all allowances: each call returns the one that it returned longest ago. */
  roundRobin(): () => Allowance | undefined {
    let all = this.#byKey.values();
    return () => {
      const { value, done } = all.next();
      if (done !== true) {
        return value;
      }
      all = this.#byKey.values();
      return all.next().value;
    };
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** The most allowances that there can be. */
  get capacity(): number {
    return this.#slots.capacity;
  }

  /** This month's calls that this process holds in all allowances and has not spent. */
  totalLeft(day: Day): number {
    return this.#byKey.values().reduce((sum, allowance) => sum + allowance.left(day), 0);
  }

  /** Refunds the calls that a thread had in flight when it died. */
  refundAll(held: readonly InFlightCalls[]): void {
    const bySlot = new Map(Array.from(this.#byKey.values(), (allowance) => [allowance.slot, allowance]));
    for (const { slot, leaseId, calls } of held) {
      bySlot.get(slot)?.refundCurrent(leaseId, calls);
    }
    for (const allowance of bySlot.values()) {
      allowance.clearRefillRequest();
    }
  }

  /** Returns unspent calls to the store, within `withinMs`. Never rejects. */
  async close(withinMs: number): Promise<void> {
    const { clock, log } = this.#options;
    const untilMs = clock.monotonicMs() + withinMs;
    const open = [...this.#byKey.values()];
    const waiting = open.values();
    let closed = 0;
    const closeInTurn = async (): Promise<void> => {
      for (const allowance of waiting) {
        if (clock.monotonicMs() >= untilMs) {
          return;
        }
        await allowance.close();
        closed++;
      }
    };
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(withinMs, resolve);
    await Promise.race([Promise.all(Array.from({ length: CLOSING_MAX }, closeInTurn)), late]);
    cancel();
    if (closed < open.length) {
      log.warn(
        { leases: open.length - closed, within_ms: withinMs },
        "There was no time to return all leases; what is left of them is lost",
      );
    }
  }

  // Evicts those that are not in use. Nothing is lost: a full bucket and an empty lease can restart in another slot.
  #sweep(nowMs: number): number | undefined {
    // Their leases cannot be returned to a store that is down.
    if (nowMs < this.#sweepAtMs || this.#options.breaker.isOpen) {
      return undefined;
    }
    let evicted = 0;
    for (let checksLeft = this.#byKey.size; checksLeft > 0 && evicted < EVICTED_MAX; checksLeft--) {
      const allowance = this.#nextToEvict();
      if (allowance !== undefined && this.#isUnused(allowance, nowMs)) {
        this.#byKey.delete(allowance.name);
        // Closing removes unspent calls from the slot before it waits for anything, so the slot is free immediately.
        void allowance.close();
        this.#slots.free(allowance.slot);
        evicted++;
      }
    }
    if (evicted === 0) {
      this.#sweepAtMs = nowMs + SWEEP_EVERY_MS;
    }
    return this.#slots.take();
  }

  #isUnused(allowance: Allowance, nowMs: number): boolean {
    const fullForMs = this.#activity.fullForMs(allowance.slot, nowMs);
    return allowance.isIdle && fullForMs >= IDLE_MS && nowMs - allowance.usedAtMs >= IDLE_MS;
  }

  #logNoRoom(nowMs: number): void {
    if (nowMs - this.#loggedAtMs >= LOG_EVERY_MS) {
      this.#loggedAtMs = nowMs;
      this.#options.log.warn(
        { subscriptions: this.#byKey.size },
        "More subscriptions are in use at the same time than fit in memory; calls on the others are refused",
      );
    }
  }
}

// The allowances in use, one for each account and service: a subscription that follows a cancelled one stands where that one stood.
// Their number is bounded; when the room is used up, those that nobody has used for a while make way and give back what they hold.
import { Allowance } from "./allowance.ts";
import type { AllowanceMeans } from "./allowance-means.ts";
import type { RateLimiter } from "./bucket.ts";
import type { HeldCalls } from "./calls-under-way.ts";
import type { Day } from "./month.ts";
import type { MonthLeases } from "./month-lease.ts";
import type { Plan } from "./plan.ts";
import type { SlotTable } from "./slots.ts";

const IDLE_MS = 60_000;
const SWEEP_EVERY_MS = 1000;
// How many are closed at a time.
const CLOSING_MAX = 32;

/** The allowances in use. */
export class Allowances implements MonthLeases {
  readonly #means: AllowanceMeans;
  readonly #slots: SlotTable;
  readonly #rate: Pick<RateLimiter, "restedMs">;
  readonly #byKey = new Map<string, Allowance>();
  #sweepAtMs = Number.NEGATIVE_INFINITY;

  constructor(means: AllowanceMeans, slots: SlotTable, rate: Pick<RateLimiter, "restedMs">) {
    this.#means = means;
    this.#slots = slots;
    this.#rate = rate;
  }

  of(key: string, subscriptionId: string, plan: Plan): Allowance | undefined {
    const found = this.#byKey.get(key);
    if (found !== undefined) {
      found.follow(subscriptionId, plan);
      return found;
    }
    const slot = this.#slots.take() ?? this.#sweep();
    if (slot === undefined) {
      return undefined;
    }
    const made = new Allowance(this.#means, key, slot, subscriptionId, plan);
    this.#byKey.set(key, made);
    return made;
  }

  /** The allowance of an account and service, as it is. */
  present(key: string): Allowance | undefined {
    return this.#byKey.get(key);
  }

  /** Calls of the month that this process holds for an account and service, and has not spent. */
  left(key: string, day: Day): number {
    return this.#byKey.get(key)?.left(day) ?? 0;
  }

  /** Takes back what a thread that died had under way. */
  takeOver(held: readonly HeldCalls[]): void {
    const bySlot = new Map(Array.from(this.#byKey.values(), (allowance) => [allowance.slot, allowance]));
    for (const { slot, term, calls } of held) {
      bySlot.get(slot)?.takeOver(term, calls);
    }
    for (const allowance of bySlot.values()) {
      allowance.listen();
    }
  }

  /** Gives back what was not spent. Never rejects. */
  async close(): Promise<void> {
    const open = this.#byKey.values();
    const closeInTurn = async (): Promise<void> => {
      for (const allowance of open) {
        await allowance.close();
      }
    };
    await Promise.all(Array.from({ length: CLOSING_MAX }, closeInTurn));
  }

  #sweep(): number | undefined {
    const nowMs = this.#means.clock.monotonicMs();
    // What they hold cannot be given back to a dead store.
    if (nowMs < this.#sweepAtMs || this.#means.breaker.isOpen) {
      return undefined;
    }
    let closing = 0;
    for (const [key, allowance] of this.#byKey) {
      if (closing === CLOSING_MAX) {
        // Of the others some when that room is used up too.
        return this.#slots.take();
      }
      if (allowance.isIdle && this.#rate.restedMs(allowance.slot, nowMs) >= IDLE_MS) {
        this.#byKey.delete(key);
        // Closing takes what is unspent out of the slot before it waits for anything, so the slot is free at once.
        void allowance.close();
        this.#slots.free(allowance.slot);
        closing++;
      }
    }
    this.#sweepAtMs = nowMs + SWEEP_EVERY_MS;
    return this.#slots.take();
  }
}

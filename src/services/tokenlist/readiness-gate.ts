// Delays the first calls until every list has been tried, or until a grace period has passed and at least one list has been read.
import type { Clock } from "../../runtime/clock.ts";

/** Delays calls until it opens. It never closes again. */
export interface ReadinessGate {
  begin(): void;
  /** Resolves when it is open, when `signal` aborts, or when `waitMs` have passed, whichever comes first. */
  wait(signal: AbortSignal, waitMs: number): Promise<void>;
  /** Call it when something can be served: opens as soon as the grace period has passed. */
  allow(): void;
  open(): void;
  /** Cancels the timer of the grace period. */
  cancel(): void;
}

export function createReadinessGate(clock: Clock, graceMs: number): ReadinessGate {
  const { promise: opening, resolve } = Promise.withResolvers<void>();
  let isOpen = false;
  let allowed = false;
  let graceOver = false;
  let cancel = (): void => {};

  const open = (): void => {
    isOpen = true;
    cancel();
    resolve();
  };
  const openIfDue = (): void => {
    if (allowed && graceOver) {
      open();
    }
  };

  return {
    begin() {
      cancel = clock.after(graceMs, () => {
        graceOver = true;
        openIfDue();
      });
    },
    open,
    cancel: () => cancel(),
    allow() {
      allowed = true;
      openIfDue();
    },
    async wait(signal, waitMs) {
      if (isOpen || signal.aborted) {
        return;
      }
      const { promise: over, resolve: giveUp } = Promise.withResolvers<void>();
      const cancelWait = clock.after(waitMs, giveUp);
      const onAbort = (): void => giveUp();
      signal.addEventListener("abort", onAbort, { once: true });
      await Promise.race([opening, over]);
      cancelWait();
      signal.removeEventListener("abort", onAbort);
    },
  };
}

// When calls are first let in: once everything has been tried, or once a grace has passed and something is there.
import type { Clock } from "../../runtime/clock.ts";

/** Holds calls back until it opens; it never closes again. */
export interface ReadinessGate {
  /** Begins the grace. */
  begin(): void;
  /** Settles when it is open, when `signal` aborts, or when `waitMs` have passed, whichever is first. */
  wait(signal: AbortSignal, waitMs: number): Promise<void>;
  /** Something is there: opens if the grace has passed, or when it does. */
  allow(): void;
  open(): void;
  /** Drops the alarm for the grace. */
  cancel(): void;
}

/** Makes one that is shut, until a grace of `graceMs` has begun and passed. */
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

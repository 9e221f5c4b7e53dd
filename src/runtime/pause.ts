// Waits on a clock until the time is up or the call ends.
import type { Clock } from "./clock.ts";

/** Waits for `delayMs`. Rejects with the signal's reason as soon as it aborts, and leaves nothing scheduled. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal.aborted) {
    reject(signal.reason);
    return promise;
  }
  const onAbort = (): void => {
    cancel();
    reject(signal.reason);
  };
  const cancel = clock.after(delayMs, () => {
    signal.removeEventListener("abort", onAbort);
    resolve();
  });
  signal.addEventListener("abort", onAbort, { once: true });
  return promise;
}

// Bounds how many requests run at once: undici bounds its connections, but lets any number of requests wait for one.
import { UpstreamFault } from "./fault.ts";

/** A fixed number of places, and a line of bounded length before them. */
export interface Semaphore {
  /**
   * Takes a place, waiting in line for one where all are taken, and answers what gives it back; that may be called more than once.
   * Throws an UpstreamFault "busy" at once where the line is full, and the signal's reason where that aborts first.
   */
  take(signal: AbortSignal): Promise<() => void>;
}

/** `concurrencyMax` places and a line of `queueMax`. First come, first served. */
export function createSemaphore({ concurrencyMax, queueMax }: { concurrencyMax: number; queueMax: number }): Semaphore {
  let taken = 0;
  // A Set keeps the order of arrival and lets one in the middle leave.
  const line = new Set<() => void>();

  const giveBack = (): (() => void) => {
    let given = false;
    return () => {
      if (given) {
        return;
      }
      given = true;
      const [next] = line;
      if (next === undefined) {
        taken -= 1;
      } else {
        line.delete(next);
        next();
      }
    };
  };

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (taken < concurrencyMax) {
        taken += 1;
        return giveBack();
      }
      if (line.size >= queueMax) {
        throw new UpstreamFault("busy", `${taken} requests are under way and ${line.size} wait`);
      }
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => {
          line.delete(onTurn);
          reject(signal.reason);
        };
        const onTurn = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        };
        line.add(onTurn);
        signal.addEventListener("abort", onAbort, { once: true });
      });
      return giveBack();
    },
  };
}

// Splits long work into short turns. Between two turns the event loop serves calls.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../runtime/clock.ts";

/** Asked between the steps of long work: `if (turns.due()) await turns.next();` */
export interface Yielder {
  /** Whether this turn has lasted long enough. */
  due(): boolean;
  /** Lets the event loop go round once. */
  next(): Promise<void>;
}

// Well under what a caller would notice, well over what a turn of the loop costs.
const TURN_MS = 4;

/** Turns that begin now. */
export function createYielder(clock: Clock): Yielder {
  let startedMs = clock.monotonicMs();
  return {
    due: () => clock.monotonicMs() - startedMs >= TURN_MS,
    async next() {
      await nextTurn();
      startedMs = clock.monotonicMs();
    },
  };
}

// A clock that stands still until a test moves it, so that nothing waits for time and nothing depends on how fast the machine is.
import type { Clock } from "../src/clock.ts";

/** A clock in a test's hands. */
export interface ManualClock extends Clock {
  /** Moves the time forward and runs what falls due, in order, each call at its own moment; what those calls schedule within the span runs too. */
  advance(ms: number): void;
  /** How many calls are scheduled and not yet run or cancelled. */
  readonly pending: number;
  /** Whether a call is scheduled for the moment that is `delayMs` from now. */
  hasAlarmIn(delayMs: number): boolean;
}

interface Alarm {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that starts at `nowMs` (Unix milliseconds), with the monotonic time at 0. */
export function createManualClock({ nowMs }: { nowMs: number }): ManualClock {
  // In the order of scheduling, which is the order of two calls that fall due at the same moment.
  const alarms = new Set<Alarm>();
  let elapsedMs = 0;

  const earliest = (untilMs: number): Alarm | undefined => {
    let found: Alarm | undefined;
    for (const alarm of alarms) {
      if (alarm.atMs <= untilMs && (found === undefined || alarm.atMs < found.atMs)) {
        found = alarm;
      }
    }
    return found;
  };

  return {
    nowMs: () => nowMs + Math.floor(elapsedMs),
    monotonicMs: () => elapsedMs,
    after(delayMs, run) {
      const alarm = { atMs: elapsedMs + Math.max(0, delayMs), run };
      alarms.add(alarm);
      return () => alarms.delete(alarm);
    },
    advance(ms) {
      const untilMs = elapsedMs + ms;
      for (let alarm = earliest(untilMs); alarm !== undefined; alarm = earliest(untilMs)) {
        alarms.delete(alarm);
        elapsedMs = alarm.atMs;
        alarm.run();
      }
      elapsedMs = untilMs;
    },
    hasAlarmIn: (delayMs) => [...alarms].some(({ atMs }) => atMs === elapsedMs + delayMs),
    get pending() {
      return alarms.size;
    },
  };
}

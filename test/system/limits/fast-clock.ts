// A clock that runs faster than the machine's, the same in all processes that know when it was started: a day of retries takes minutes.
import { type Clock, systemClock } from "../../../src/runtime/clock.ts";

const SPEED = 60;

/** A clock that showed `fromMs` when the machine's showed `startedMs`. */
export const fastClock = (fromMs: number, startedMs: number): Clock => ({
  nowMs: () => Math.floor(fromMs + (systemClock.nowMs() - startedMs) * SPEED),
  monotonicMs: () => systemClock.monotonicMs() * SPEED,
  after: (delayMs, run) => systemClock.after(delayMs / SPEED, run),
});

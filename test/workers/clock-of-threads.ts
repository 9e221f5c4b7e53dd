// A clock for several threads: the time of day stands still, and the monotonic time, in shared memory, moves when a test moves it. Timers
// are the machine's, because threads wait for each other in real time.
import { type Clock, systemClock } from "../../src/runtime/clock.ts";

/** The time of day, ten days before the end of a month of 30. */
const NOON_MS = Date.UTC(2026, 10, 21, 12);

/** Milliseconds, in shared memory. */
export type SharedTime = Int32Array<SharedArrayBuffer>;

/** A new shared time, at 0. */
export const sharedTime = (): SharedTime => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** A thread's clock. */
export const sharedClock = (time: SharedTime): Clock => ({
  nowMs: () => NOON_MS,
  monotonicMs: () => Atomics.load(time, 0),
  after: systemClock.after,
});

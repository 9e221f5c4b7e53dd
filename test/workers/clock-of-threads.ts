// A clock for several threads: the time of day stands still, and the monotonic time, which is in shared memory, until the test moves it. Timers
// are the machine's, for threads wait for each other in real time.
import { type Clock, systemClock } from "../../src/runtime/clock.ts";

/** The time of day: a month of 30 days with ten of them left. */
const NOON_MS = Date.UTC(2026, 10, 21, 12);

/** Milliseconds, in shared memory. */
export type SharedTime = Int32Array<SharedArrayBuffer>;

/** A new one, at 0. */
export const sharedTime = (): SharedTime => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** The clock of a thread. */
export const sharedClock = (time: SharedTime): Clock => ({
  nowMs: () => NOON_MS,
  monotonicMs: () => Atomics.load(time, 0),
  after: systemClock.after,
});

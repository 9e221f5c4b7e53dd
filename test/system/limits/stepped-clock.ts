// The machine's clock, shifted by as much as the harness sets, in all threads of a process at once.
import { type Clock, systemClock } from "../../../src/runtime/clock.ts";

/** The offset of the time of day in milliseconds, in shared memory. */
export type Offset = BigInt64Array<SharedArrayBuffer>;

/** A new one. */
export function makeOffset(offsetMs: number): Offset {
  const offset = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
  offset[0] = BigInt(offsetMs);
  return offset;
}

/** A thread's clock. */
export const steppedClock = (offset: Offset): Clock => ({
  ...systemClock,
  nowMs: () => systemClock.nowMs() + Number(Atomics.load(offset, 0)),
});

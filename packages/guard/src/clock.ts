// The guard's source of time. Nothing else in the package reads the machine's clock, so tests set the time and never wait.

/** A source of time. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC, whole. May jump when the machine's clock is set. */
  nowMs(): number;
  /** Milliseconds since an arbitrary time, with fractions. Never goes backwards. */
  monotonicMs(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

// The server's source of time. Nothing else in the package reads the machine's clock, so tests set the time and never wait.

/** A source of time, and its timers. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC, whole. May jump when the machine's clock is set. */
  nowMs(): number;
  /** Milliseconds since an arbitrary time, with fractions. Never goes backwards. */
  monotonicMs(): number;
  /**
   * Calls `run` once after `delayMs` (24 days at most), and returns a function that cancels it. A pending call must not keep the
   * process alive.
   */
  after(delayMs: number, run: () => void): () => void;
}

/** The longest delay of Node's timers, almost 25 days. A longer timer fires immediately. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(delayMs, TIMER_MS_MAX));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

// The only place that reads the machine's time. Everything else gets a Clock, so that a test sets the time and never waits.

/** The program's source of time, and its timers. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC, whole. May jump when the machine's clock is set. */
  nowMs(): number;
  /** Milliseconds since an arbitrary time shared by all threads of the process, with fractions. Never goes backwards. */
  monotonicMs(): number;
  /**
   * Calls `run` once after `delayMs` (24 days at most), and returns a function that cancels it. A pending call does not keep the
   * process alive.
   */
  after(delayMs: number, run: () => void): () => void;
}

/** The longest delay of Node's timers, almost 25 days. A longer timer fires immediately. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

// `performance.now()` counts from the start of each thread. `process.hrtime()` counts from a shared time, but returns an array.
const [bootSeconds, bootNanoseconds] = process.hrtime();
const threadStartMs = bootSeconds * 1000 + bootNanoseconds / 1_000_000 - performance.now();

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => threadStartMs + performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(delayMs, TIMER_MS_MAX));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

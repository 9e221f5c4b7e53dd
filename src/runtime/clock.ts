// The only place that reads the machine's time. Everything else is handed a Clock, so that a test sets the time and never waits for it.

/** Time, as the rest of the program sees it. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC, whole. May step when the machine's clock is set. */
  nowMs(): number;
  /** Milliseconds since an arbitrary moment that all threads of the process share, with fractions. Never goes backwards. */
  monotonicMs(): number;
  /** Calls `run` once, `delayMs` from now (24 days at most), and returns what cancels it. A pending call does not keep the process alive. */
  after(delayMs: number, run: () => void): () => void;
}

/** What a timer of Node's holds, almost 25 days; one that is set for longer runs at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

// Each thread counts `performance.now()` from its own start, and `process.hrtime()` from one that all share, but makes an array of it.
const [bootSeconds, bootNanoseconds] = process.hrtime();
const threadStartMs = bootSeconds * 1000 + bootNanoseconds / 1_000_000 - performance.now();

/** The machine's clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => threadStartMs + performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(delayMs, TIMER_MS_MAX));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

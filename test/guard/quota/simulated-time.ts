// A clock for simulations: time passes as soon as everything that is due has happened.
import type { Clock } from "../../../src/runtime/clock.ts";

interface Event {
  readonly atMs: number;
  run: () => void;
}

export class SimulatedTime implements Clock {
  readonly #startMs: number;
  #elapsedMs = 0;
  // The next event is the last of the list.
  readonly #events: Event[] = [];

  /** Begins at `startMs`, in Unix milliseconds. */
  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  monotonicMs = (): number => this.#elapsedMs;
  nowMs = (): number => this.#startMs + Math.floor(this.#elapsedMs);

  after(delayMs: number, run: () => void): () => void {
    const event = { atMs: this.#elapsedMs + delayMs, run };
    let at = this.#events.length;
    while (at > 0 && (this.#events[at - 1] as Event).atMs <= event.atMs) {
      at -= 1;
    }
    this.#events.splice(at, 0, event);
    return () => {
      event.run = () => {};
    };
  }

  /** Resolves after a while of simulated time. */
  passed(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Lets everything happen that is due until then, in order. */
  async passTo(atMs: number): Promise<void> {
    for (let next = this.#events.at(-1); next !== undefined && next.atMs <= atMs; next = this.#events.at(-1)) {
      this.#elapsedMs = next.atMs;
      while (this.#events.at(-1)?.atMs === next.atMs) {
        this.#events.pop()?.run();
      }
      await settled();
    }
    this.#elapsedMs = atMs;
  }
}

/** Resolves once everything that does not wait for time has happened. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

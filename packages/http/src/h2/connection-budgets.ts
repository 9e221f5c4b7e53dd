// Limits the work besides requests that a peer may cause on one connection. Beyond each limit, the connection ends with ENHANCE_YOUR_CALM.
// https://www.rfc-editor.org/rfc/rfc9113#section-10.5
import type { Clock } from "../clock.ts";
import type { ServerLimits } from "../limits.ts";
import { ConnectionError } from "./connection-error.ts";
import { ENHANCE_YOUR_CALM } from "./protocol.ts";
import type { SendQueue } from "./send-queue.ts";

// Limits frames that do not serve a request: resets, pings, settings, empty and unknown frames. Each costs us more than its sender:
// https://www.rfc-editor.org/rfc/rfc9113#section-10.5
const NANOSECONDS_PER_MS = 1_000_000;
const NANOSECONDS_PER_SECOND = 1_000_000_000;

/** A token bucket: how many frames may arrive in a burst, and how many per second over time. */
export class FrameBudget {
  readonly #clock: Clock;
  // In nanoseconds: the time in which one frame is added, and that in which an empty bucket fills up.
  readonly #interval: number;
  readonly #capacity: number;
  // The time until the bucket will be full, as of `#countedAtMs`. https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
  #ahead = 0;
  #countedAtMs: number;

  constructor(clock: Clock, burst: number, perSecond: number) {
    this.#clock = clock;
    this.#interval = Math.ceil(NANOSECONDS_PER_SECOND / perSecond);
    this.#capacity = this.#interval * burst;
    this.#countedAtMs = clock.monotonicMs();
  }

  /** Counts a frame. Returns false, and does not count it, if there have been too many. */
  spend(): boolean {
    return this.#take() || this.#takeLater();
  }

  /** Allows this many more frames, because the peer has made useful progress. */
  refill(count: number): void {
    this.#ahead = Math.max(0, this.#ahead - count * this.#interval);
  }

  // The clock is read only once the burst is spent.
  #takeLater(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#ahead = Math.max(0, this.#ahead - Math.round((nowMs - this.#countedAtMs) * NANOSECONDS_PER_MS));
    this.#countedAtMs = nowMs;
    return this.#take();
  }

  #take(): boolean {
    const after = this.#ahead + this.#interval;
    if (after > this.#capacity) {
      return false;
    }
    this.#ahead = after;
    return true;
  }
}

/** How many heads may be refused in a burst. A refused head costs only the time to parse it, and is counted nowhere else. */
export const HEADS_REFUSED_BURST = 100;
/** How many heads may be refused per second over time. A proxy forwards the heads of many callers. */
export const HEADS_REFUSED_PER_SECOND = 10;

/**
 * How many frames besides those of requests and bodies may arrive in a burst: pings, settings, window updates, priorities, empty and
 * unknown frames.
 */
export const CONTROL_FRAMES_BURST = 1000;
/** How many of these frames may arrive per second over time. */
const CONTROL_FRAMES_PER_SECOND = 20;
/** How many more of them may arrive for each request and each DATA frame sent: a peer that reads responses must send window updates. */
const CONTROL_FRAMES_PER_REQUEST = 4;

/** How much of each budget one connection's peer has left. */
export class ConnectionBudgets {
  readonly #clock: Clock;
  readonly #limits: ServerLimits;
  readonly #controlFrames: FrameBudget;
  // Created on first use; most peers never need them.
  #resets: FrameBudget | undefined;
  #refusedHeads: FrameBudget | undefined;
  readonly #sendQueue: SendQueue;

  constructor(clock: Clock, limits: ServerLimits, sendQueue: SendQueue) {
    this.#clock = clock;
    this.#limits = limits;
    this.#sendQueue = sendQueue;
    this.#controlFrames = new FrameBudget(clock, CONTROL_FRAMES_BURST, CONTROL_FRAMES_PER_SECOND);
  }

  /**
   * Counts a stream that was reset before its response was sent, by the peer or because of a fault of the peer: the work for it was
   * wasted. Like the other methods, throws a ConnectionError if there were too many.
   */
  spendReset(): void {
    const { streamResetBurst, streamResetsPerSecond } = this.#limits;
    this.#resets ??= new FrameBudget(this.#clock, streamResetBurst, streamResetsPerSecond);
    if (!this.#resets.spend()) {
      throw new ConnectionError(ENHANCE_YOUR_CALM, "too many streams were reset");
    }
  }

  spendControlFrame(): void {
    if (!this.#maySpendControlFrame()) {
      throw new ConnectionError(ENHANCE_YOUR_CALM, "too many frames that carry nothing");
    }
  }

  /** gRPC clients recognise this message, and then ping less often. */
  spendPing(): void {
    if (!this.#maySpendControlFrame()) {
      throw new ConnectionError(ENHANCE_YOUR_CALM, "too_many_pings");
    }
  }

  spendRefusedHead(): void {
    this.#refusedHeads ??= new FrameBudget(this.#clock, HEADS_REFUSED_BURST, HEADS_REFUSED_PER_SECOND);
    if (!this.#refusedHeads.spend()) {
      throw new ConnectionError(ENHANCE_YOUR_CALM, "too many heads were refused");
    }
  }

  requestArrived(): void {
    this.#controlFrames.refill(CONTROL_FRAMES_PER_REQUEST);
  }

  // DATA frames that were sent are added to the budget only once the rest of it is spent.
  #maySpendControlFrame(): boolean {
    if (this.#controlFrames.spend()) {
      return true;
    }
    const framesMax = CONTROL_FRAMES_BURST / CONTROL_FRAMES_PER_REQUEST;
    this.#controlFrames.refill(CONTROL_FRAMES_PER_REQUEST * this.#sendQueue.takeFramesSent(framesMax));
    return this.#controlFrames.spend();
  }
}

// What a peer may ask of one connection that serves nobody. Past each, the connection ends with ENHANCE_YOUR_CALM.
// https://www.rfc-editor.org/rfc/rfc9113#section-10.5
import type { Clock } from "../../runtime/clock.ts";
import type { ServerLimits } from "../limits.ts";
import { ConnectionError } from "./connection-error.ts";
import { FrameBudget } from "./frame-budget.ts";
import { ENHANCE_YOUR_CALM } from "./protocol.ts";
import type { SendQueue } from "./send-queue.ts";

/** Heads that may be refused at once. Each has cost its reading, and nothing that is counted elsewhere. */
export const HEADS_REFUSED_BURST = 100;
/** Heads that may be refused each second, for long: a proxy brings those of many callers. */
export const HEADS_REFUSED_PER_SECOND = 10;

/** Frames that may come at once beside those that bring requests and bodies: pings, settings, windows, priorities, empty and unknown ones. */
export const SIDE_FRAMES_BURST = 1000;
/** The same each second, for long. */
const SIDE_FRAMES_PER_SECOND = 20;
/** How many of them come with a request or an answer's DATA frame, such as a reading peer's window updates, and do not count. */
const SIDE_FRAMES_EARNED = 4;

/** What one connection's peer has left. */
export class ConnectionBudgets {
  readonly #clock: Clock;
  readonly #limits: ServerLimits;
  readonly #sideFrames: FrameBudget;
  // Made when they are first drawn on, which most peers never do.
  #resets: FrameBudget | undefined;
  #refusedHeads: FrameBudget | undefined;
  readonly #sendQueue: SendQueue;

  constructor(clock: Clock, limits: ServerLimits, sendQueue: SendQueue) {
    this.#clock = clock;
    this.#limits = limits;
    this.#sendQueue = sendQueue;
    this.#sideFrames = new FrameBudget(clock, SIDE_FRAMES_BURST, SIDE_FRAMES_PER_SECOND);
  }

  /**
   * A stream was reset before its answer was out, by the peer or for a fault of the peer's: two ways to have work begun for nothing. Throws a
   * ConnectionError, as do the others, where that is too much.
   */
  spendReset(): void {
    const { streamResetBurst, streamResetsPerSecond } = this.#limits;
    this.#resets ??= new FrameBudget(this.#clock, streamResetBurst, streamResetsPerSecond);
    if (!this.#resets.spend()) {
      throw new ConnectionError(ENHANCE_YOUR_CALM, "too many streams were reset");
    }
  }

  spendSideFrame(): void {
    if (!this.#maySpendSideFrame()) {
      throw new ConnectionError(ENHANCE_YOUR_CALM, "too many frames that bring nothing");
    }
  }

  /** gRPC's clients know this text, and ping less often. */
  spendPing(): void {
    if (!this.#maySpendSideFrame()) {
      throw new ConnectionError(ENHANCE_YOUR_CALM, "too_many_pings");
    }
  }

  spendRefusedHead(): void {
    this.#refusedHeads ??= new FrameBudget(this.#clock, HEADS_REFUSED_BURST, HEADS_REFUSED_PER_SECOND);
    if (!this.#refusedHeads.spend()) {
      throw new ConnectionError(ENHANCE_YOUR_CALM, "too many heads were refused");
    }
  }

  /** A request has come. */
  earn(): void {
    this.#sideFrames.earn(SIDE_FRAMES_EARNED);
  }

  // What was sent is looked at only where all else is spent.
  #maySpendSideFrame(): boolean {
    const framesMax = SIDE_FRAMES_BURST / SIDE_FRAMES_EARNED;
    return this.#sideFrames.spend() || this.#sideFrames.earn(SIDE_FRAMES_EARNED * this.#sendQueue.takeFramesSent(framesMax));
  }
}

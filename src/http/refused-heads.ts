// Heads that were refused on one HTTP/2 connection. Each has cost its reading, of which a byte on the wire may be a whole field, and its
// sender nothing that is counted elsewhere: no rate, no stream, no reset of the peer's own.
import type { Clock } from "../runtime/clock.ts";

/** Heads that may be refused at once. */
export const HEADS_REFUSED_BURST = 100;
/** Heads that may be refused each second, for long: a proxy brings those of many callers. */
export const HEADS_REFUSED_PER_SECOND = 10;
/** How often it is looked for heads that Node has refused by itself, of which it tells nobody. */
export const HEADS_LOOK_MS = 1000;

/** The count of one connection. */
export class RefusedHeads {
  readonly #clock: Clock;
  #left = HEADS_REFUSED_BURST;
  #countedAtMs: number;
  #headsSeen = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedAtMs = clock.monotonicMs();
  }

  /** True while no more have been refused than may be. */
  get isBearable(): boolean {
    return this.#left >= 0;
  }

  /** A stream has come to us. Those that its peer opened before it and that have not were refused by Node. */
  seen(streamId: number): void {
    this.#headsSeen += 1;
    this.opened(streamId);
  }

  /** So far the peer has opened streams up to this one, all of which we should have seen. */
  opened(streamId: number): void {
    // A client's streams have odd numbers.
    const unseen = Math.ceil(streamId / 2) - this.#headsSeen;
    if (unseen > 0) {
      this.#headsSeen += unseen;
      this.refused(unseen);
    }
  }

  /** So many more were refused. */
  refused(count: number): void {
    const nowMs = this.#clock.monotonicMs();
    const regained = ((nowMs - this.#countedAtMs) / 1000) * HEADS_REFUSED_PER_SECOND;
    this.#left = Math.min(HEADS_REFUSED_BURST, this.#left + regained) - count;
    this.#countedAtMs = nowMs;
  }
}

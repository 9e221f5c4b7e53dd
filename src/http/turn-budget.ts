// Bounds how long one turn of the event loop goes on with requests. A turn takes what has come on every connection, and the system's loop accepts
// one new connection a turn: while a few peers pipeline hundreds of requests, a newcomer would wait for seconds to be let in. Each
// connection may begin one request a turn; of more than that, those for which there is no time wait for their connection's next go.
import type { Clock } from "../runtime/clock.ts";

/** So many requests begin before anybody looks at the clock. */
const UNTIMED_REQUESTS = 16;
/** Beyond them a turn may go on for so long. */
const TURN_MS = 2;
/** What one connection may begin in one go. */
const SHARE_REQUESTS = 32;

/** The turns of one listener's thread. */
export class TurnBudget {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #begun = 0;
  #timedSinceMs = 0;
  #isNextDue = false;
  // Those that go on in the next turns, in their order.
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** A connection has begun a request, `inThisGo` with those before it. True where it has to wait before it begins another. */
  spend(inThisGo: number): boolean {
    this.#begun += 1;
    if (this.#begun === UNTIMED_REQUESTS) {
      this.#timedSinceMs = this.#clock.monotonicMs();
      this.#nextTurn();
    }
    return inThisGo >= SHARE_REQUESTS || this.#isSpent;
  }

  /** Calls back in one of the next turns. */
  wait(goOn: () => void): void {
    this.#waiting.push(goOn);
    this.#nextTurn();
  }

  get #isSpent(): boolean {
    return this.#begun >= UNTIMED_REQUESTS && this.#clock.monotonicMs() - this.#timedSinceMs >= TURN_MS;
  }

  #nextTurn(): void {
    if (!this.#isNextDue) {
      this.#isNextDue = true;
      setImmediate(() => this.#goOn());
    }
  }

  // Those that have come behind wait for another turn, and so does who has had a go in this one.
  #goOn(): void {
    this.#isNextDue = false;
    this.#begun = 0;
    for (let left = this.#waiting.length; left > 0 && !this.#isSpent; left -= 1) {
      const goOn = this.#waiting.shift();
      if (this.#waiting.length > 0) {
        // First, because what is called may throw.
        this.#nextTurn();
      }
      goOn?.();
    }
    this.#begun = 0;
  }
}

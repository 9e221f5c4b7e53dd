// The exchanges of one connection whose answers are not out yet. They are answered in the order of their requests, whichever is ready first,
// and what they give within one turn is written at once. https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2
import type { H1Exchange } from "./h1-exchange.ts";
import type { H1Output } from "./h1-output.ts";

/** Exchanges in their order. */
export class AnswerOrder {
  readonly #output: H1Output;
  // Over TLS, even what the system takes at once leaves a little later.
  readonly #leavesLater: boolean;
  // Those whose answer is not handed over; the first one's turn it is.
  readonly #queue: H1Exchange[] = [];
  // Those whose answer is handed over and has not left.
  readonly #leaving: H1Exchange[] = [];
  #isFlushDue = false;

  constructor(output: H1Output, leavesLater: boolean) {
    this.#output = output;
    this.#leavesLater = leavesLater;
  }

  /** How many answers have not left. */
  get size(): number {
    return this.#queue.length + this.#leaving.length;
  }

  /** How many answers are not handed over. */
  get unanswered(): number {
    return this.#queue.length;
  }

  /** The exchange whose request came last, if it has not been answered. */
  get newest(): H1Exchange | undefined {
    return this.#queue.at(-1);
  }

  /** Whether one of them has not begun to be answered. */
  get isAwaited(): boolean {
    return this.#queue.some(({ responded }) => !responded);
  }

  /** Whether one of them may be silent. */
  get isSilenceAllowed(): boolean {
    return this.#queue.some(({ isSilenceAllowed }) => isSilenceAllowed);
  }

  /** Adds an exchange. It may be its turn at once. */
  add(exchange: H1Exchange): void {
    this.#queue.push(exchange);
    if (this.#queue.length === 1) {
      exchange.takeTurn();
    }
  }

  /** Takes the first one, whose answer has been handed over, and gives the turn to the next. Answers that one. */
  shift(): H1Exchange | undefined {
    const done = this.#queue.shift();
    if (done !== undefined) {
      this.#leaving.push(done);
    }
    return this.#queue[0];
  }

  /** The answer of the exchange that was handed over first has left. */
  left(): void {
    this.#leaving.shift();
  }

  /** None of them will be answered. */
  abandon(): void {
    for (const exchange of [...this.#leaving.splice(0), ...this.#queue.splice(0)]) {
      exchange.abandon();
    }
  }

  /** Writes what there is. */
  flush(): void {
    this.#output.flush();
    if (this.#leaving.length === 0) {
      return;
    }
    if (this.#leavesLater) {
      setImmediate(() => this.#holdBack());
    } else {
      this.#holdBack();
    }
  }

  /** The same at the end of this turn. */
  flushSoon(): void {
    if (!this.#isFlushDue) {
      this.#isFlushDue = true;
      setImmediate(() => {
        this.#isFlushDue = false;
        this.flush();
      });
    }
  }

  #holdBack(): void {
    for (const exchange of this.#leaving) {
      exchange.holdBack();
    }
  }
}

// The exchanges of one connection whose answers are not out yet. They are answered in the order of their requests, whichever is ready first,
// and what they give within one turn is written at once. https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2
import type { H1Exchange } from "./h1-exchange.ts";
import type { H1Output } from "./h1-output.ts";

/**
 * Exchanges in their order: first those whose answer is handed over and has not left, then the one whose turn it is, then the others. Each knows
 * the one behind it, which is 0.1 µs a call cheaper than two arrays.
 */
export class AnswerOrder {
  readonly #output: H1Output;
  // Over TLS, even what the system takes at once leaves a little later.
  readonly #leavesLater: boolean;
  #first: H1Exchange | undefined;
  #current: H1Exchange | undefined;
  #last: H1Exchange | undefined;
  #size = 0;
  #unanswered = 0;
  #isFlushDue = false;

  constructor(output: H1Output, leavesLater: boolean) {
    this.#output = output;
    this.#leavesLater = leavesLater;
  }

  /** How many answers have not left. */
  get size(): number {
    return this.#size;
  }

  /** How many answers are not handed over. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** The exchange whose request came last, if it has not been answered. */
  get newest(): H1Exchange | undefined {
    return this.#current === undefined ? undefined : this.#last;
  }

  /** Whether one of them has not begun to be answered. */
  get isAwaited(): boolean {
    return this.#someUnanswered(({ responded }) => !responded);
  }

  /** Whether one of them may be silent. */
  get isSilenceAllowed(): boolean {
    return this.#someUnanswered(({ isSilenceAllowed }) => isSilenceAllowed);
  }

  /** Adds an exchange. It may be its turn at once. */
  add(exchange: H1Exchange): void {
    if (this.#last === undefined) {
      this.#first = exchange;
    } else {
      this.#last.next = exchange;
    }
    this.#last = exchange;
    this.#size += 1;
    this.#unanswered += 1;
    if (this.#current === undefined) {
      this.#current = exchange;
      exchange.takeTurn();
    }
  }

  /** The answer of the exchange whose turn it is has been handed over. Gives the turn to the next, and answers that one. */
  shift(): H1Exchange | undefined {
    // All of them may have been abandoned.
    if (this.#current !== undefined) {
      this.#current = this.#current.next;
      this.#unanswered -= 1;
    }
    return this.#current;
  }

  /** The answer of the exchange that was handed over first has left. */
  left(): void {
    const gone = this.#first;
    // All of them may have been abandoned.
    if (gone !== undefined) {
      this.#first = gone.next;
      gone.next = undefined;
      this.#size -= 1;
      this.#last = this.#first === undefined ? undefined : this.#last;
    }
  }

  /** None of them will be answered. */
  abandon(): void {
    let exchange = this.#first;
    this.#first = undefined;
    this.#current = undefined;
    this.#last = undefined;
    this.#size = 0;
    this.#unanswered = 0;
    while (exchange !== undefined) {
      const { next } = exchange;
      exchange.abandon();
      exchange = next;
    }
  }

  /** Writes what there is. */
  flush(): void {
    this.#output.flush();
    if (this.#first === this.#current) {
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
    for (let exchange = this.#first; exchange !== this.#current; exchange = exchange?.next) {
      exchange?.holdBack();
    }
  }

  #someUnanswered(is: (exchange: H1Exchange) => boolean): boolean {
    for (let exchange = this.#current; exchange !== undefined; exchange = exchange.next) {
      if (is(exchange)) {
        return true;
      }
    }
    return false;
  }
}

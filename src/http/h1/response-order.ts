// The exchanges of one connection whose responses have not been sent. Responses are sent in the order of the requests, whichever is ready
// first. What is written for them within one turn of the event loop is sent together. https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2
import type { H1Exchange } from "./h1-exchange.ts";
import type { H1Output } from "./h1-output.ts";

/**
 * Exchanges in order: first those whose response is complete but not yet sent, then the one whose turn it is, then the others. They
 * form a linked list, which is faster than two arrays.
 */
export class ResponseOrder {
  readonly #output: H1Output;
  // Over TLS, even a write that completes immediately reports its completion only later in the event loop.
  readonly #flushesLater: boolean;
  #first: H1Exchange | undefined;
  #current: H1Exchange | undefined;
  #last: H1Exchange | undefined;
  #size = 0;
  #unfinished = 0;
  #isFlushDue = false;

  constructor(output: H1Output, flushesLater: boolean) {
    this.#output = output;
    this.#flushesLater = flushesLater;
  }

  /** How many exchanges have a response that has not been sent. */
  get size(): number {
    return this.#size;
  }

  /** How many exchanges have an unfinished response. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /** The exchange of the latest request, if its response is unfinished. */
  get newest(): H1Exchange | undefined {
    return this.#current === undefined ? undefined : this.#last;
  }

  /** Whether any of them is still waiting for the first byte of its response. */
  get isAwaited(): boolean {
    return this.#isAnyUnfinished(({ responded }) => !responded);
  }

  /** Whether the connection may be silent during any of them. */
  get isSilenceAllowed(): boolean {
    return this.#isAnyUnfinished(({ isSilenceAllowed }) => isSilenceAllowed);
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
    this.#unfinished += 1;
    if (this.#current === undefined) {
      this.#current = exchange;
      exchange.takeTurn();
    }
  }

  /** Called when the exchange whose turn it is has finished its response. Gives the turn to the next exchange and returns it. */
  shift(): H1Exchange | undefined {
    // All exchanges may have been abandoned.
    if (this.#current !== undefined) {
      this.#current = this.#current.next;
      this.#unfinished -= 1;
    }
    return this.#current;
  }

  /** Removes the first exchange, whose response has been sent. */
  removeFirst(): void {
    const gone = this.#first;
    // All exchanges may have been abandoned.
    if (gone !== undefined) {
      this.#first = gone.next;
      gone.next = undefined;
      this.#size -= 1;
      this.#last = this.#first === undefined ? undefined : this.#last;
    }
  }

  /** Abandons all exchanges: none of them will get a response. */
  abandon(): void {
    let exchange = this.#first;
    this.#first = undefined;
    this.#current = undefined;
    this.#last = undefined;
    this.#size = 0;
    this.#unfinished = 0;
    while (exchange !== undefined) {
      const { next } = exchange;
      exchange.abandon();
      exchange = next;
    }
  }

  flush(): void {
    this.#output.flush();
    if (this.#first === this.#current) {
      return;
    }
    if (this.#flushesLater) {
      setImmediate(() => this.#holdBack());
    } else {
      this.#holdBack();
    }
  }

  /** Sends what is ready at the end of this turn of the event loop. */
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

  #isAnyUnfinished(matches: (exchange: H1Exchange) => boolean): boolean {
    for (let exchange = this.#current; exchange !== undefined; exchange = exchange.next) {
      if (matches(exchange)) {
        return true;
      }
    }
    return false;
  }
}

// The calls that wait for a token of one bucket, in order of arrival. Each gets one decision.
import { LinkedList, ListNode } from "../../../runtime/linked-list.ts";
import type { RateTake } from "../bucket.ts";

class WaitingCall {
  readonly node = new ListNode<WaitingCall>(this);
  readonly untilMs: number;
  readonly decide: (take: RateTake) => void;

  constructor(untilMs: number, decide: (take: RateTake) => void) {
    this.untilMs = untilMs;
    this.decide = decide;
  }
}

export class WaitingCalls {
  readonly #calls = new LinkedList<WaitingCall>();
  #size = 0;
  #fresh = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a call, which waits at most until the monotonic time `untilMs`. */
  add(untilMs: number): Promise<RateTake> {
    this.#size++;
    this.#fresh++;
    return new Promise((decide) => this.#calls.addLast(new WaitingCall(untilMs, decide).node));
  }

  /** How many have arrived since this was last called. */
  takeFresh(): number {
    const fresh = this.#fresh;
    this.#fresh = 0;
    return fresh;
  }

  /** Decides the call that has waited longest. */
  decideFirst(take: RateTake): void {
    const first = this.#calls.first;
    if (first !== undefined) {
      this.#end(first, take);
    }
  }

  /** Decides up to `count` calls. */
  decide(count: number, take: () => RateTake): void {
    for (let remaining = Math.min(count, this.#size); remaining > 0; remaining--) {
      this.decideFirst(take());
    }
  }

  /** Decides the `count` calls that arrived last, if that is a positive number. */
  decideLast(count: number, take: () => RateTake): void {
    for (let remaining = count; remaining > 0; remaining--) {
      const last = this.#calls.last;
      if (last !== undefined) {
        this.#end(last, take());
      }
    }
  }

  /** Decides the calls that may not wait any longer. */
  decideExpired(nowMs: number, take: () => RateTake): void {
    while ((this.#calls.first?.untilMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      this.decideFirst(take());
    }
  }

  #end(call: WaitingCall, take: RateTake): void {
    call.node.leave();
    this.#size--;
    call.decide(take);
  }
}

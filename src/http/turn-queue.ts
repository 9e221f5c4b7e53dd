// A queue that alternates between new members and returning ones, so that members that want little are not kept waiting by those that
// always want more, and neither kind can starve the other.

export class TurnQueue<Member> {
  readonly #fresh: Member[] = [];
  readonly #others: Member[] = [];
  #isFreshNext = true;

  get size(): number {
    return this.#fresh.length + this.#others.length;
  }

  add(member: Member, isFresh: boolean): void {
    (isFresh ? this.#fresh : this.#others).push(member);
  }

  /** Removes and returns the next member; undefined if the queue is empty. */
  take(): Member | undefined {
    const [first, second] = this.#isFreshNext ? [this.#fresh, this.#others] : [this.#others, this.#fresh];
    this.#isFreshNext = first === this.#others;
    return (first.length > 0 ? first : second).shift();
  }
}

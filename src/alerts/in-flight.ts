// Tracks what a server is currently sending.
import type { Clock } from "../runtime/clock.ts";

export class InFlight<Item> {
  readonly #items = new Map<Promise<void>, Item>();

  get size(): number {
    return this.#items.size;
  }

  get items(): readonly Item[] {
    return [...this.#items.values()];
  }

  /** Keeps an item until its work, which never rejects, has ended. */
  add(item: Item, work: Promise<void>): void {
    const ended = work.finally(() => this.#items.delete(ended));
    this.#items.set(ended, item);
  }

  /** Resolves when nothing is being sent any more, after `withinMs` at the latest. */
  async end(withinMs: number, clock: Pick<Clock, "after">): Promise<void> {
    if (this.#items.size > 0) {
      await new Promise<void>((resolve) => {
        const cancel = clock.after(withinMs, resolve);
        void Promise.all(this.#items.keys()).then(() => {
          cancel();
          resolve();
        });
      });
    }
  }
}

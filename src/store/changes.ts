// Who wants to know, in this process, that accounts, keys or subscriptions have changed.

/** The callbacks. */
export class ChangeListeners {
  readonly #callbacks = new Set<{ readonly call: () => void }>();

  /** Adds a callback, which must not throw, and returns what removes it. */
  add(callback: () => void): () => void {
    // Wrapped, so that a callback that was added twice is called twice and removed once.
    const entry = { call: callback };
    this.#callbacks.add(entry);
    return () => this.#callbacks.delete(entry);
  }

  /** Calls every callback, at once. */
  notify(): void {
    for (const { call } of [...this.#callbacks]) {
      call();
    }
  }
}

// Tells the rest of this process that accounts, keys or subscriptions have changed, or that sessions have ended.

/**
 * Called after a change to an account, its keys or its subscriptions, and after its owner's sessions were ended. Without an account id, any
 * account may have changed. Must not throw.
 */
export type OnChange = (accountId?: string) => void;

export class ChangeListeners {
  readonly #callbacks = new Set<{ readonly call: OnChange }>();

  /** Adds a callback, and returns a function that removes it. */
  add(callback: OnChange): () => void {
    // Wrapped, so that a callback that was added twice is called twice and removed once.
    const entry = { call: callback };
    this.#callbacks.add(entry);
    return () => this.#callbacks.delete(entry);
  }

  notify(accountId?: string): void {
    for (const { call } of [...this.#callbacks]) {
      call(accountId);
    }
  }
}

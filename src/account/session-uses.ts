// When sessions were last used. Kept in memory, to the minute, and written in batches once a minute, so that a call does not cause a write.
import type { Clock } from "../runtime/clock.ts";
import type { AdminStore } from "../store/store.ts";

const MINUTE_MS = 60_000;
// The maximum number of uses that wait to be written. If more sessions are used in a minute, the uses of the rest are not recorded.
const WAITING_MAX = 20_000;

interface SessionUsesOptions {
  readonly store: Pick<AdminStore, "recordSessionUses">;
  readonly clock: Pick<Clock, "nowMs" | "after">;
}

export class SessionUses {
  readonly #options: SessionUsesOptions;
  #waiting = new Map<string, number>();
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(options: SessionUsesOptions) {
    this.#options = options;
  }

  /** Records that the session whose token has this SHA-256 is being used now. */
  record(tokenHash: string): void {
    const { clock } = this.#options;
    if (this.#waiting.size >= WAITING_MAX && !this.#waiting.has(tokenHash)) {
      return;
    }
    this.#waiting.set(tokenHash, Math.floor(clock.nowMs() / MINUTE_MS) * MINUTE_MS);
    if (this.#cancelTimer === undefined && !this.#isClosed) {
      this.#cancelTimer = clock.after(MINUTE_MS, () => void this.#write());
    }
  }

  /** When the session was last used on this server, if that has not been written yet. */
  unwritten(tokenHash: string): number | undefined {
    return this.#waiting.get(tokenHash);
  }

  /** Writes the pending uses, and records no more. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#write();
  }

  // Uses that the store does not accept now are dropped: the next use will be recorded.
  async #write(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const uses = Array.from(this.#waiting, ([tokenHash, usedAtMs]) => ({ tokenHash, usedAtMs }));
    this.#waiting = new Map();
    if (uses.length > 0) {
      await this.#options.store.recordSessionUses(uses).catch(() => {});
    }
  }
}

// When sessions were last used. Kept in memory, to the minute, and written in batches once a minute: a call costs no write.
import type { Clock } from "../runtime/clock.ts";
import type { OwnerStore } from "../store/owner-store.ts";

const MINUTE_MS = 60_000;
// How many uses may wait to be written. Where more sessions are used in a minute, the rest are not noted.
const WAITING_MAX = 20_000;

/** What it works with. */
export interface SessionUsesDependencies {
  readonly store: Pick<OwnerStore, "noteSessionUses">;
  readonly clock: Pick<Clock, "nowMs" | "after">;
}

/** Notes uses. */
export class SessionUses {
  readonly #deps: SessionUsesDependencies;
  #waiting = new Map<string, number>();
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(deps: SessionUsesDependencies) {
    this.#deps = deps;
  }

  /** The session whose token has this SHA-256 is used now. */
  note(tokenHash: string): void {
    const { clock } = this.#deps;
    if (this.#waiting.size >= WAITING_MAX && !this.#waiting.has(tokenHash)) {
      return;
    }
    this.#waiting.set(tokenHash, Math.floor(clock.nowMs() / MINUTE_MS) * MINUTE_MS);
    if (this.#cancelTimer === undefined && !this.#isClosed) {
      this.#cancelTimer = clock.after(MINUTE_MS, () => void this.#write());
    }
  }

  /** When it was last used here and that is not written yet; undefined when all is. */
  unwritten(tokenHash: string): number | undefined {
    return this.#waiting.get(tokenHash);
  }

  /** Writes what waits, and notes no more. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#write();
  }

  // What the store does not take now is dropped: the next use is noted anew.
  async #write(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const uses = Array.from(this.#waiting, ([tokenHash, usedAtMs]) => ({ tokenHash, usedAtMs }));
    this.#waiting = new Map();
    if (uses.length > 0) {
      await this.#deps.store.noteSessionUses(uses).catch(() => {});
    }
  }
}

// Watches callers who stay connected after they were admitted, such as on a stream. When their account changes, or the store has been
// silent for too long, they are checked again, and a callback runs if they may not continue.
import type { Clock } from "../runtime/clock.ts";
import type { NodeStatus } from "../store/node-status.ts";
import type { AdmissionRequest, Refused } from "./guard.ts";

const RETRY_MS = 1000;

interface CallerWatchOptions {
  readonly clock: Clock;
  readonly nodeStatus: NodeStatus;
  /** Why a caller may not continue, whatever the limits say; undefined if they may. Never rejects. */
  readonly check: (request: AdmissionRequest) => Promise<Refused | undefined>;
}

interface Watched {
  readonly request: AdmissionRequest;
  readonly onRefused: (refused: Refused) => void;
  cancelRetry: () => void;
}

/** The callers who stay connected. */
export class CallerWatch {
  readonly #options: CallerWatchOptions;
  readonly #byAccount = new Map<string, Set<Watched>>();
  #cancelStale: (() => void) | undefined;

  constructor(options: CallerWatchOptions) {
    this.#options = options;
  }

  /** Calls back once, when an account's caller may no longer continue. Returns a function that stops the watch. */
  add(accountId: string, request: AdmissionRequest, onRefused: (refused: Refused) => void): () => void {
    const watched: Watched = { request, onRefused, cancelRetry: () => {} };
    const others = this.#byAccount.get(accountId);
    if (others === undefined) {
      this.#byAccount.set(accountId, new Set([watched]));
    } else {
      others.add(watched);
    }
    this.#awaitStale();
    return () => this.#remove(accountId, watched);
  }

  /** Checks the account's callers again, because it has changed; without an id, any account may have changed. */
  changed(accountId?: string): void {
    for (const account of accountId === undefined ? [...this.#byAccount.keys()] : [accountId]) {
      for (const watched of [...(this.#byAccount.get(account) ?? [])]) {
        void this.#recheck(account, watched);
      }
    }
  }

  async #recheck(accountId: string, watched: Watched): Promise<void> {
    watched.cancelRetry();
    const { clock, nodeStatus, check } = this.#options;
    const refused = await check(watched.request);
    if (refused === undefined || !this.#byAccount.get(accountId)?.has(watched)) {
      return;
    }
    if (refused.problem.reason === "LIMITS_UNAVAILABLE" && !nodeStatus.isStale(clock.monotonicMs())) {
      // A concurrent check may have scheduled a retry already; replace it, so that there is only one.
      watched.cancelRetry();
      watched.cancelRetry = clock.after(RETRY_MS, () => void this.#recheck(accountId, watched));
      return;
    }
    this.#remove(accountId, watched);
    watched.onRefused(refused);
  }

  #remove(accountId: string, watched: Watched): void {
    watched.cancelRetry();
    const others = this.#byAccount.get(accountId);
    others?.delete(watched);
    if (others?.size === 0) {
      this.#byAccount.delete(accountId);
    }
    if (this.#byAccount.size === 0) {
      this.#cancelStale?.();
      this.#cancelStale = undefined;
    }
  }

  #awaitStale(): void {
    const { clock, nodeStatus } = this.#options;
    const { staleAtMs } = nodeStatus;
    if (this.#cancelStale !== undefined || staleAtMs === Number.POSITIVE_INFINITY) {
      return;
    }
    this.#cancelStale = clock.after(Math.max(RETRY_MS, staleAtMs - clock.monotonicMs()), () => {
      this.#cancelStale = undefined;
      if (nodeStatus.isStale(clock.monotonicMs())) {
        this.changed();
      }
      if (this.#byAccount.size > 0) {
        this.#awaitStale();
      }
    });
  }
}

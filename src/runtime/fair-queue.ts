// Limits concurrent expensive work, and shares the slots fairly among its owners, so that a busy owner only delays itself. No owner gets
// all slots, and owners take turns. When the queue is full, the owner with the most waiting work loses some of it.

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

interface FairQueueOptions {
  /** The most concurrent work. */
  readonly concurrencyMax: number;
  /** The most concurrent work for this owner. */
  readonly ownerConcurrencyMax: (owner: string) => number;
  /** The most waiting work of all owners together. */
  readonly waitingMax: number;
  /** Creates the error for work that finds the queue full or loses its place in it. `ownerWaiting`: how much work of its owner waits. */
  readonly queueFull: (ownerWaiting: number) => Error;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  // The waiting work of each owner, in the order of the owners' next turns.
  readonly #owners = new Map<string, Waiting[]>();
  readonly #running = new Map<string, number>();
  #waitingCount = 0;
  #runningCount = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /**
   * Takes a slot, waiting for the owner's turn. Resolves with the function that releases it; calling that again does nothing.
   * Rejects if the queue is full, and with the signal's reason if it aborts first.
   */
  async acquire(owner: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#hasSlotFor(owner)) {
      this.#takeSlot(owner);
    } else {
      await this.#waitForTurn(owner, signal);
    }
    let isReleased = false;
    return () => {
      if (!isReleased) {
        isReleased = true;
        this.#release(owner);
      }
    };
  }

  /** Runs an owner's work in its turn. Rejects as the work does, or if the queue is full. */
  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire(owner);
    try {
      return await work();
    } finally {
      release();
    }
  }

  // Whether the owner can get a slot now. Never true for an owner with waiting work: that would have taken the slot already.
  #hasSlotFor(owner: string): boolean {
    const { concurrencyMax, ownerConcurrencyMax } = this.#options;
    return this.#runningCount < concurrencyMax && (this.#running.get(owner) ?? 0) < ownerConcurrencyMax(owner);
  }

  #takeSlot(owner: string): void {
    this.#runningCount += 1;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
  }

  #waitForTurn(owner: string, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waitingCount >= this.#options.waitingMax) {
      this.#makeRoom(this.#owners.get(owner)?.length ?? 0);
    }
    return new Promise((resolve, reject) => {
      const stop = (): void => signal?.removeEventListener("abort", onAbort);
      const waiting: Waiting = {
        start() {
          stop();
          resolve();
        },
        refuse(error) {
          stop();
          reject(error);
        },
      };
      const onAbort = (): void => {
        this.#stopWaiting(owner, waiting);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#owners.set(owner, [...(this.#owners.get(owner) ?? []), waiting]);
      this.#waitingCount += 1;
    });
  }

  // Refuses the latest work of the owner with the most waiting. Throws unless that owner has more than the calling owner would have.
  #makeRoom(ownCount: number): void {
    const [owner, most] = [...this.#owners].reduce((one, other) => (other[1].length > one[1].length ? other : one), ["", []]);
    const latest = most.at(-1);
    if (latest === undefined || most.length <= ownCount + 1) {
      throw this.#options.queueFull(ownCount);
    }
    this.#stopWaiting(owner, latest);
    latest.refuse(this.#options.queueFull(most.length));
  }

  #stopWaiting(owner: string, waiting: Waiting): void {
    const others = (this.#owners.get(owner) ?? []).filter((one) => one !== waiting);
    if (others.length > 0) {
      this.#owners.set(owner, others);
    } else {
      this.#owners.delete(owner);
    }
    this.#waitingCount -= 1;
  }

  // Passes the slot on, so that new work does not overtake waiting work.
  #release(owner: string): void {
    const left = (this.#running.get(owner) ?? 0) - 1;
    if (left > 0) {
      this.#running.set(owner, left);
    } else {
      this.#running.delete(owner);
    }
    this.#runningCount -= 1;
    for (const [next, [first]] of this.#owners) {
      if (first !== undefined && this.#hasSlotFor(next)) {
        this.#stopWaiting(next, first);
        // The owner's next turn comes after those of all others.
        const others = this.#owners.get(next);
        if (others !== undefined) {
          this.#owners.delete(next);
          this.#owners.set(next, others);
        }
        this.#takeSlot(next);
        first.start();
        return;
      }
    }
  }
}

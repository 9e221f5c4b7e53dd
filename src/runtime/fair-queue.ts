// Lets one piece of expensive work be done at a time, and shares the turns among those who ask for it. Whoever asks for much waits for themselves:
// each owner's next work comes after one of every other owner, and where the queue is full the one with the most waiting gives way.

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

/** The bounds. */
export interface FairQueueOptions {
  /** The most that wait, of all owners together. */
  readonly waitingMax: number;
  /** Makes the error for those who find no room, and for those who give way. */
  readonly queueFull: () => Error;
}

/** The queue. */
export class FairQueue {
  readonly #options: FairQueueOptions;
  // In the order of their next turns.
  readonly #owners = new Map<string, Waiting[]>();
  #waitingCount = 0;
  #isBusy = false;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Does the work of an owner when it is their turn. Rejects as the work does, and where there is no room. */
  async run<Answer>(owner: string, work: () => Promise<Answer>): Promise<Answer> {
    if (this.#isBusy) {
      await this.#turn(owner);
    }
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#startNext();
    }
  }

  #turn(owner: string): Promise<void> {
    const own = this.#owners.get(owner) ?? [];
    if (this.#waitingCount >= this.#options.waitingMax) {
      this.#makeRoom(own.length);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    own.push({ start: resolve, refuse: reject });
    this.#owners.set(owner, own);
    this.#waitingCount += 1;
    return promise;
  }

  // Refuses the latest of the owner with the most waiting, or throws where nobody would have more than the one who asks.
  #makeRoom(ownCount: number): void {
    let most: Waiting[] = [];
    for (const waiting of this.#owners.values()) {
      most = waiting.length > most.length ? waiting : most;
    }
    if (most.length <= ownCount + 1) {
      throw this.#options.queueFull();
    }
    most.pop()?.refuse(this.#options.queueFull());
    this.#waitingCount -= 1;
  }

  // The queue stays busy meanwhile, so that nobody who comes now gets in before those who wait.
  #startNext(): void {
    const [first] = this.#owners;
    if (first === undefined) {
      this.#isBusy = false;
      return;
    }
    const [owner, waiting] = first;
    this.#owners.delete(owner);
    const next = waiting.shift();
    if (waiting.length > 0) {
      this.#owners.set(owner, waiting);
    }
    this.#waitingCount -= 1;
    next?.start();
  }
}

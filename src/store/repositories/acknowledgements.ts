// Waits until all servers have applied a change: queries the database repeatedly, once for all callers that wait, until all servers have
// applied it or time is up.
import type { Clock } from "../../runtime/clock.ts";
import type { NodeProgress } from "./node-registry.ts";

/** How long a change waits at most for other servers to apply it. */
const ACKNOWLEDGEMENT_MAX_MS = 2000;
const FIRST_PAUSE_MS = 2;
const LAST_PAUSE_MS = 50;
// Larger clusters take longer in any case: each server adds this much to the first pause, which precedes the first query if there are other
// servers.
const PAUSE_PER_NODE_MS = 0.05;
// A caller that has waited this long is probably waiting for a server that does not respond, so the server's name is looked up.
const NAMED_AFTER_MS = 1000;

export interface Acknowledgement {
  /** Whether every server that may be serving has applied the changes. */
  readonly isComplete: boolean;
  /** The servers that have not applied them, if these are known. */
  readonly missing: readonly string[];
}

/** The result when all servers have applied the changes. */
export const ACKNOWLEDGED: Acknowledgement = { isComplete: true, missing: [] };

interface Waiter {
  readonly number: number;
  readonly resolve: (result: Acknowledgement) => void;
  /** Whether it has waited so long that the missing servers should be named. */
  readonly hasWaitedLong: () => boolean;
  missing: readonly string[];
}

interface AcknowledgementOptions {
  readonly clock: Clock;
  /** The last batch of changes that all other servers have applied; undefined if there are none. */
  readonly appliedByAll: () => Promise<number | undefined>;
  /** The servers that may be serving and have not applied all changes up to a number. */
  readonly behind: (number: number) => Promise<readonly NodeProgress[]>;
  readonly aliveNodes: () => number;
}

/** Waits for other servers. */
export class Acknowledgements {
  readonly #options: AcknowledgementOptions;
  readonly #waiters = new Set<Waiter>();
  #pauseMs = FIRST_PAUSE_MS;
  // Whether a query is running, or will after a pause.
  #isQuerying = false;

  constructor(options: AcknowledgementOptions) {
    this.#options = options;
  }

  /**
   * Waits until all servers have applied the changes up to the batch with this number, for at most two seconds from now, even if the number
   * is not known by then. Never rejects.
   */
  wait(number: Promise<number>): Promise<Acknowledgement> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      let waiter: Waiter | undefined;
      let hasWaitedLong = false;
      let isOver = false;
      const cancelNaming = clock.after(NAMED_AFTER_MS, () => {
        hasWaitedLong = true;
      });
      const cancel = clock.after(ACKNOWLEDGEMENT_MAX_MS, () => {
        isOver = true;
        if (waiter === undefined) {
          resolve({ isComplete: false, missing: [] });
        } else {
          this.#resolve(waiter, { isComplete: false, missing: waiter.missing });
        }
      });
      void number.then((known) => {
        if (isOver) {
          return;
        }
        waiter = {
          number: known,
          hasWaitedLong: () => hasWaitedLong,
          missing: [],
          resolve(result) {
            cancelNaming();
            cancel();
            resolve(result);
          },
        };
        this.#waiters.add(waiter);
        this.#pauseMs = FIRST_PAUSE_MS + PAUSE_PER_NODE_MS * this.#options.aliveNodes();
        void this.#query();
      });
    });
  }

  // One query at a time, for all waiters together.
  async #query(): Promise<void> {
    if (this.#isQuerying || this.#waiters.size === 0) {
      return;
    }
    this.#isQuerying = true;
    if (this.#options.aliveNodes() > 1) {
      await this.#pause();
    }
    while (this.#waiters.size > 0) {
      await this.#compare([...this.#waiters]).catch(() => {});
      if (this.#waiters.size > 0) {
        await this.#pause();
      }
    }
    this.#isQuerying = false;
  }

  #pause(): Promise<void> {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
    return new Promise((resolve) => void this.#options.clock.after(pauseMs, resolve));
  }

  async #compare(waiters: readonly Waiter[]): Promise<void> {
    const { appliedByAll, behind } = this.#options;
    const applied = (await appliedByAll()) ?? Number.POSITIVE_INFINITY;
    const late = waiters.filter(({ number }) => number > applied);
    for (const waiter of waiters.filter(({ number }) => number <= applied)) {
      this.#resolve(waiter, ACKNOWLEDGED);
    }
    const longest = late.filter(({ hasWaitedLong }) => hasWaitedLong());
    if (longest.length > 0) {
      const nodes = await behind(Math.max(...longest.map(({ number }) => number)));
      for (const waiter of longest) {
        waiter.missing = nodes.filter(({ changeNumber }) => changeNumber < waiter.number).map(({ id }) => id);
      }
    }
  }

  #resolve(waiter: Waiter, result: Acknowledgement): void {
    this.#waiters.delete(waiter);
    waiter.resolve(result);
  }
}

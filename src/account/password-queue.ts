// Decides whose password is hashed next. Hashing is expensive on purpose, so only a few hashes are made at a time. One slot is reserved for
// callers who signed in recently, and one for all other callers, because anybody may sign up and then sign in again and again. In each
// group, callers with the fewest attempts go first, and callers with the most attempts are refused when the queue is full.
import { Failure } from "../problem/failure.ts";
import { tooManyAttempts } from "./refusals.ts";

const CONCURRENCY_MAX = 3;
// At most this many for unknown callers, and for known callers while an unknown one is waiting.
const CONCURRENCY_PER_GROUP_MAX = 2;
const WAITING_MAX = 20;
const RETRY_MS = 3000;

/** What determines whose password is hashed first. */
export interface HashPriority {
  /** Whether somebody recently signed in from their network with this e-mail address. */
  readonly isKnown: boolean;
  /** How many attempts their network has made recently. */
  readonly recentAttempts: number;
}

export const UNKNOWN_CALLER_PRIORITY: HashPriority = { isKnown: false, recentAttempts: 0 };

interface Waiting extends HashPriority {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/** The waiting callers, and how many are being served. */
class Queue {
  running = 0;
  // In the order in which they will be served.
  readonly waiting: Waiting[] = [];
}

/** Runs work, some at a time, in the order of its priority. */
export class PasswordQueue {
  readonly #known = new Queue();
  readonly #unknown = new Queue();

  /** Runs the work when its turn comes. Rejects as the work does, and with a Failure if the queue is full. */
  async run<Result>(priority: HashPriority, work: () => Promise<Result>): Promise<Result> {
    const queue = priority.isKnown ? this.#known : this.#unknown;
    await new Promise<void>((begin, refuse) => {
      insert(queue.waiting, { ...priority, begin, refuse });
      this.#next();
      refuseLast(queue.waiting);
    });
    try {
      return await work();
    } finally {
      queue.running -= 1;
      this.#next();
    }
  }

  #next(): void {
    while (this.#known.running + this.#unknown.running < CONCURRENCY_MAX) {
      const servesKnown =
        this.#known.waiting.length > 0 && (this.#known.running < CONCURRENCY_PER_GROUP_MAX || this.#unknown.waiting.length === 0);
      if (!servesKnown && this.#unknown.running >= CONCURRENCY_PER_GROUP_MAX) {
        return;
      }
      const queue = servesKnown ? this.#known : this.#unknown;
      const first = queue.waiting.shift();
      if (first === undefined) {
        return;
      }
      queue.running += 1;
      first.begin();
    }
  }
}

// Inserts behind everybody with as many attempts or fewer.
function insert(waiting: Waiting[], added: Waiting): void {
  const index = waiting.findIndex(({ recentAttempts }) => recentAttempts > added.recentAttempts);
  waiting.splice(index < 0 ? waiting.length : index, 0, added);
}

function refuseLast(waiting: Waiting[]): void {
  if (waiting.length > WAITING_MAX) {
    waiting.pop()?.refuse(new Failure(tooManyAttempts(RETRY_MS)));
  }
}

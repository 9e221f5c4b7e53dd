// Whose password is hashed next. Hashing is expensive on purpose, so only a few hashes are made at a time. One place is kept for callers who signed
// in lately, and one for the others: anybody may sign up, and then sign in again and again. Of either, those who have tried least go first, and those
// who have tried most are refused when the queue is full.
import { Failure } from "../problem/failure.ts";
import { tooManyAttempts } from "./refusals.ts";

const PLACES = 3;
// Of either kind, while the other kind waits.
const KIND_PLACES = 2;
const WAITING_MAX = 20;
const RETRY_MS = 3000;

/** What decides whose turn it is. */
export interface PasswordTurn {
  /** Whether their network signed in lately at the e-mail address that they name, or they have a session. */
  readonly isKnown: boolean;
  /** How many tries their network has made lately. */
  readonly triesLately: number;
}

/** The turn of a caller of whom nothing is known. */
export const UNKNOWN_CALLERS_TURN: PasswordTurn = { isKnown: false, triesLately: 0 };

interface Waiting extends PasswordTurn {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/** Those who wait, and how many of them are being served. */
class Queue {
  atWork = 0;
  // The next one comes first.
  readonly waiting: Waiting[] = [];
}

/** Takes work in turn. */
export class PasswordTurns {
  readonly #known = new Queue();
  readonly #unknown = new Queue();

  /** Does the work when its turn comes. Rejects as the work does, and with a Failure when too many wait. */
  async take<Answer>(turn: PasswordTurn, work: () => Promise<Answer>): Promise<Answer> {
    const queue = turn.isKnown ? this.#known : this.#unknown;
    await new Promise<void>((begin, refuse) => {
      enter(queue.waiting, { ...turn, begin, refuse });
      this.#next();
      turnAway(queue.waiting);
    });
    try {
      return await work();
    } finally {
      queue.atWork -= 1;
      this.#next();
    }
  }

  #next(): void {
    while (this.#known.atWork + this.#unknown.atWork < PLACES) {
      const isKnownsTurn =
        this.#known.waiting.length > 0 && (this.#known.atWork < KIND_PLACES || this.#unknown.waiting.length === 0);
      if (!isKnownsTurn && this.#unknown.atWork >= KIND_PLACES) {
        return;
      }
      const queue = isKnownsTurn ? this.#known : this.#unknown;
      const first = queue.waiting.shift();
      if (first === undefined) {
        return;
      }
      queue.atWork += 1;
      first.begin();
    }
  }
}

// Inserts behind all who have not tried more.
function enter(waiting: Waiting[], newcomer: Waiting): void {
  const index = waiting.findIndex(({ triesLately }) => triesLately > newcomer.triesLately);
  waiting.splice(index < 0 ? waiting.length : index, 0, newcomer);
}

function turnAway(waiting: Waiting[]): void {
  if (waiting.length > WAITING_MAX) {
    waiting.pop()?.refuse(new Failure(tooManyAttempts(RETRY_MS)));
  }
}

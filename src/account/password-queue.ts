// Whose password is hashed next. Hashing is dear on purpose, so few are at it at a time: one place is kept for those who were let in lately,
// and of the others who wait those who have tried least go first, and those who have tried most are turned away when the line is full.
import { Failure } from "../problem/failure.ts";
import { tooManyAttempts } from "./refusals.ts";

const PLACES = 3;
const PLACES_OF_STRANGERS = 2;
const WAITING_MAX = 20;
const RETRY_MS = 3000;

/** Whose turn it is. */
export interface PasswordTurn {
  /** Whether their network was let in lately at the address that they name, or they have a session. */
  readonly isKnown: boolean;
  /** How many tries their network has made lately. */
  readonly triesLately: number;
}

/** The turn of somebody of whom nothing is known. */
export const STRANGERS_TURN: PasswordTurn = { isKnown: false, triesLately: 0 };

interface Waiting extends PasswordTurn {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/** One line of those who wait, and how many of it are at work. */
class Line {
  atWork = 0;
  // Those who go first in front.
  readonly waiting: Waiting[] = [];
}

/** Takes work in turn. */
export class PasswordTurns {
  readonly #known = new Line();
  readonly #strangers = new Line();

  /** Does the work when its turn comes, and rejects as it does; with a Failure where too many wait. */
  async take<Answer>(turn: PasswordTurn, work: () => Promise<Answer>): Promise<Answer> {
    const line = turn.isKnown ? this.#known : this.#strangers;
    await new Promise<void>((begin, refuse) => {
      enter(line.waiting, { ...turn, begin, refuse });
      this.#next();
      turnAway(line.waiting);
    });
    try {
      return await work();
    } finally {
      line.atWork -= 1;
      this.#next();
    }
  }

  #next(): void {
    const free = (): boolean => this.#known.atWork + this.#strangers.atWork < PLACES;
    while (free()) {
      const line = this.#known.waiting.length > 0 || this.#strangers.atWork >= PLACES_OF_STRANGERS ? this.#known : this.#strangers;
      const first = line.waiting.shift();
      if (first === undefined) {
        return;
      }
      line.atWork += 1;
      first.begin();
    }
  }
}

// Behind all who have not tried more.
function enter(waiting: Waiting[], newcomer: Waiting): void {
  const index = waiting.findIndex(({ triesLately }) => triesLately > newcomer.triesLately);
  waiting.splice(index < 0 ? waiting.length : index, 0, newcomer);
}

function turnAway(waiting: Waiting[]): void {
  if (waiting.length > WAITING_MAX) {
    waiting.pop()?.refuse(new Failure(tooManyAttempts(RETRY_MS)));
  }
}

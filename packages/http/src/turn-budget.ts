// Limits how long one turn of the event loop spends on callers' input, and how much of it one address gets. A turn handles the
// input of every connection but accepts only one new connection, so a few busy peers could keep a new client waiting for seconds.
// Work is therefore done in slices: input for which this turn has no time waits for a later one, in which addresses take turns, and
// so do the connections of each. Half of the time, connections that have not waited yet go first.
import type { Clock } from "./clock.ts";

// A queue that alternates between new members and returning ones, so that members that want little are not kept waiting by those that
// always want more, and neither kind can starve the other.
class TurnQueue<Member> {
  readonly #fresh: Member[] = [];
  readonly #others: Member[] = [];
  #isFreshNext = true;

  get size(): number {
    return this.#fresh.length + this.#others.length;
  }

  add(member: Member, isFresh: boolean): void {
    (isFresh ? this.#fresh : this.#others).push(member);
  }

  /** Removes and returns the next member; undefined if the queue is empty. */
  take(): Member | undefined {
    const [first, second] = this.#isFreshNext ? [this.#fresh, this.#others] : [this.#others, this.#fresh];
    this.#isFreshNext = first === this.#others;
    return (first.length > 0 ? first : second).shift();
  }
}

/** How many requests or chunks are handled before the clock is checked. Every further 256 bytes of a chunk count as one more. */
const UNTIMED_STEPS = 32;
const BYTES_PER_STEP_SHIFT = 8;
/** How long a turn may continue once the clock is checked. */
const TURN_MS = 2;
/** The same for a turn that follows one in which a connection was accepted: more connections may be queued. */
const ACCEPTING_TURN_MS = 0.2;
/** How much of a turn one address may use before its connections wait. */
const SHARE_MS = 1;
/** How long one connection may work before it waits. */
const SLICE_MS = 0.5;
/** How many requests one connection may begin in one slice. */
const SLICE_REQUESTS = 32;

type Resume = () => void;

/**
 * What one address has used of this turn, and its waiting connections. A connection whose address is not limited has a share of
 * its own.
 */
export class TurnShare {
  readonly waiting = new TurnQueue<Resume>();
  spentMs = 0;
  /** The number of the turn in which `spentMs` was spent. */
  turn = 0;
}

/** The turns of one listener's thread. */
export class TurnBudget {
  readonly #clock: Pick<Clock, "monotonicMs">;
  // The state of this turn.
  #number = 1;
  #steps = 0;
  #timedSinceMs = 0;
  #isNextDue = false;
  #isAccepting = false;
  // The state of the next turn.
  #hasAccepted = false;
  // Undefined outside a slice, and in one that is not timed.
  #sliceSinceMs: number | undefined;
  // The addresses with waiting connections.
  readonly #waiting = new TurnQueue<TurnShare>();
  #connectionsWaiting = 0;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  accepted(): void {
    this.#hasAccepted = true;
    this.#nextTurn();
  }

  /** Whether a chunk may be handled now. If not, call `wait`. */
  mayTake(share: TurnShare): boolean {
    if (share.waiting.size > 0) {
      return false;
    }
    const isShareSpent = share.turn === this.#number && share.spentMs >= SHARE_MS;
    return !isShareSpent && !this.#isSpent;
  }

  /** Called when a connection starts to handle a chunk of this many bytes. It ends with `end`. */
  begin(bytes: number): void {
    this.#step(1 + (bytes >>> BYTES_PER_STEP_SHIFT));
    this.#sliceSinceMs = this.#isTimed ? this.#clock.monotonicMs() : undefined;
  }

  /** Whether the connection has used up its slice and must leave the rest of the chunk for the next one. */
  get isSliceOver(): boolean {
    this.#step(1);
    if (!this.#isTimed) {
      return false;
    }
    const nowMs = this.#clock.monotonicMs();
    return nowMs - (this.#sliceSinceMs ?? this.#timedSinceMs) >= SLICE_MS || nowMs - this.#timedSinceMs >= this.#turnMs;
  }

  /** Called when the connection has handled the chunk. */
  end(share: TurnShare): void {
    if (this.#isTimed) {
      const nowMs = this.#clock.monotonicMs();
      const tookMs = nowMs - (this.#sliceSinceMs ?? this.#timedSinceMs);
      share.spentMs = share.turn === this.#number ? share.spentMs + tookMs : tookMs;
      share.turn = this.#number;
      this.#sliceSinceMs = undefined;
    }
  }

  /**
   * Called when a connection has started a request, its `inThisSlice`-th in this slice. Returns true if it must wait before it begins
   * another.
   */
  spend(inThisSlice: number): boolean {
    this.#step(1);
    return inThisSlice >= SLICE_REQUESTS || this.#isSpent;
  }

  /** Calls back in one of the next turns. `isFresh`: the connection has not waited with this input before. */
  wait(share: TurnShare, resume: Resume, isFresh: boolean): void {
    if (share.waiting.size === 0) {
      this.#waiting.add(share, isFresh);
    }
    share.waiting.add(resume, isFresh);
    this.#connectionsWaiting += 1;
    this.#nextTurn();
  }

  get #isTimed(): boolean {
    return this.#steps >= UNTIMED_STEPS;
  }

  get #isSpent(): boolean {
    return this.#isTimed && this.#clock.monotonicMs() - this.#timedSinceMs >= this.#turnMs;
  }

  get #turnMs(): number {
    return this.#isAccepting ? ACCEPTING_TURN_MS : TURN_MS;
  }

  #step(steps: number): void {
    const wasTimed = this.#isTimed;
    this.#steps += steps;
    if (!wasTimed && this.#isTimed) {
      this.#timedSinceMs = this.#clock.monotonicMs();
      this.#nextTurn();
    }
  }

  #nextTurn(): void {
    if (!this.#isNextDue) {
      this.#isNextDue = true;
      setImmediate(() => this.#runTurn());
    }
  }

  // Runs one connection from each waiting address until the time is up. Those that arrive in the meantime wait for another turn.
  #runTurn(): void {
    this.#isNextDue = false;
    this.#isAccepting = this.#hasAccepted;
    this.#hasAccepted = false;
    this.#number += 1;
    this.#steps = 0;
    if (this.#connectionsWaiting > 0) {
      // Timed from the start, with another turn to follow even if something throws.
      this.#step(UNTIMED_STEPS);
    }
    for (let left = this.#connectionsWaiting; left > 0 && !this.#isSpent; left -= 1) {
      const share = this.#waiting.take() as TurnShare;
      const resume = share.waiting.take() as Resume;
      this.#connectionsWaiting -= 1;
      if (share.waiting.size > 0) {
        this.#waiting.add(share, false);
      }
      resume();
    }
    this.#number += 1;
    this.#steps = 0;
  }
}

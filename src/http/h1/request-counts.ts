// How many requests an HTTP/1.1 connection may begin: in one slice of the thread's time, at the same time, and in its whole life.
import type { ServerLimits } from "../limits.ts";
import type { TransportFault } from "../transport-fault.ts";
import type { TurnBudget } from "../turn-budget.ts";

export class RequestCounts {
  readonly #limits: ServerLimits;
  readonly #turns: TurnBudget;
  #total = 0;
  #begunInSlice = 0;
  #isWaitingForTurn = false;
  // Whether the peer has been told that it sends too much. From then on, the excess stays unread.
  #isWarned = false;

  constructor(limits: ServerLimits, turns: TurnBudget) {
    this.#limits = limits;
    this.#turns = turns;
  }

  /** Whether this was the last request that the connection serves. */
  get isLast(): boolean {
    return this.#total >= this.#limits.requestsPerConnectionMax;
  }

  /**
   * Whether another request may begin while `inProgress` have no response yet. One more than allowed may begin once, so that it can be
   * refused.
   */
  mayBegin(inProgress: number): boolean {
    const { concurrentRequestsMax } = this.#limits;
    return !this.#isWaitingForTurn && inProgress <= (this.#isWarned ? concurrentRequestsMax - 1 : concurrentRequestsMax);
  }

  beginSlice(): void {
    this.#begunInSlice = 0;
  }

  /** Called when the connection's turn has come after `begin` made it wait. */
  resume(): void {
    this.#isWaitingForTurn = false;
    this.#begunInSlice = 0;
  }

  /** Counts a request that begins. True if the connection must now wait for its turn, until `resume`. */
  begin(): boolean {
    this.#total += 1;
    this.#begunInSlice += 1;
    const mustWait = this.#turns.spend(this.#begunInSlice) && !this.#isWaitingForTurn;
    this.#isWaitingForTurn ||= mustWait;
    return mustWait;
  }

  /** The fault of the newest request if too many are in progress, including itself; undefined if it may be served. */
  refusal(inProgress: number): TransportFault | undefined {
    const { concurrentRequestsMax } = this.#limits;
    if (inProgress <= concurrentRequestsMax) {
      return undefined;
    }
    this.#isWarned = true;
    return {
      reason: "RATE_LIMITED",
      message: `More than ${concurrentRequestsMax} requests are waiting on this connection; wait for responses before sending more.`,
      retryAfterMs: 1000,
    };
  }
}

// How often a network may bring tokens of sessions that there are not. A token that is known to be good is not held up by them.
import { hashKey } from "../../guard/keys/key.ts";
import { NetworkPace } from "../../guard/pace/network-pace.ts";
import { type RateLimit, takeAll, throwIfLimited } from "../../guard/pace/throttle.ts";
import type { Clock } from "../../runtime/clock.ts";
import { LruMap } from "../../runtime/lru-map.ts";
import { tooManyAttempts } from "../refusals.ts";

const UNKNOWN_TOKENS: RateLimit = { burst: 60, everyMs: 1000 };
const TOKENS_MAX = 20_000;

/** The rate limit of tokens. */
export class TokenPace {
  readonly #unknown: NetworkPace;
  // By their SHA-256.
  readonly #good = new LruMap<string, true>(TOKENS_MAX);

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#unknown = new NetworkPace(clock, UNKNOWN_TOKENS);
  }

  /**
   * Counts a try, before the token is looked up, so that many at once cannot all be looked up. Throws a Failure when it comes too fast. Returns what to
   * call when the token turns out to be good: the try is taken back.
   */
  take(token: string, peer: string): () => void {
    if (this.#good.get(hashKey(token)) !== undefined) {
      return () => {};
    }
    const tries = this.#unknown.tries(peer);
    throwIfLimited(takeAll(tries), tooManyAttempts);
    return () => {
      this.isGood(token);
      for (const [throttle, network] of tries) {
        throttle.giveBack(network);
      }
    };
  }

  /** The token is that of a session. */
  isGood(token: string): void {
    this.#good.set(hashKey(token), true);
  }

  /** The token's session has ended: from now on it is like any other. */
  isOver(token: string): void {
    this.#good.delete(hashKey(token));
  }
}

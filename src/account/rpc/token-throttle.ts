// How often a network may try tokens that belong to no session. Such attempts do not delay a token that is known to be valid.

import type { Clock } from "../../runtime/clock.ts";
import { LruMap } from "../../runtime/lru-map.ts";
import { hashSecret } from "../../runtime/secret-hash.ts";
import { NetworkThrottle } from "../../throttle/network-throttle.ts";
import { type RateLimit, takeAll, throwIfLimited } from "../../throttle/throttle.ts";
import { tooManyAttempts } from "../refusals.ts";

const UNKNOWN_TOKENS: RateLimit = { burst: 60, everyMs: 1000 };
const TOKENS_MAX = 20_000;

export class TokenThrottle {
  readonly #unknown: NetworkThrottle;
  // The tokens known to be valid, by their SHA-256.
  readonly #valid = new LruMap<string, true>(TOKENS_MAX);

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#unknown = new NetworkThrottle(clock, UNKNOWN_TOKENS);
  }

  /**
   * Counts an attempt before the token is looked up, so that many at once cannot all be looked up. Throws a Failure if it exceeds the rate.
   * Returns a function to call if the token turns out to be valid: it refunds the attempt.
   */
  take(token: string, peer: string): () => void {
    if (this.#valid.get(hashSecret(token)) !== undefined) {
      return () => {};
    }
    const attempts = this.#unknown.attempts(peer);
    throwIfLimited(takeAll(attempts), tooManyAttempts);
    return () => {
      this.markValid(token);
      for (const [throttle, network] of attempts) {
        throttle.refund(network);
      }
    };
  }

  /** Records that the token belongs to a session. */
  markValid(token: string): void {
    this.#valid.set(hashSecret(token), true);
  }

  /** Records that the token's session has ended. From now on, the token is like any unknown one. */
  markEnded(token: string): void {
    this.#valid.delete(hashSecret(token));
  }
}

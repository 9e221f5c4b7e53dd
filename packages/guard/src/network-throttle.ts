// Rate limits for networks, each with the wider networks around it. Neighbouring networks share an allowance that no single one of them can
// use up, and a caller with a wide IPv6 network gets no new allowance for each address in it.
import type { Clock } from "./clock.ts";
import { networksOf } from "./networks.ts";
import { type Attempt, type RateLimit, Throttle, takeAll } from "./throttle.ts";

// The rate of each level, as a multiple of the narrowest network's.
const SHARES = [1, 4, 16];

/** Limits the attempts of networks. */
export class NetworkThrottle {
  readonly #levels: readonly Throttle[];

  constructor(clock: Pick<Clock, "monotonicMs">, { burst, everyMs }: RateLimit) {
    this.#levels = SHARES.map((share) => new Throttle(clock, { burst: burst * share, everyMs: everyMs / share }));
  }

  /** The attempts to count for an address: one for each of its networks, or only one for the narrowest. */
  attempts(peer: string, scope: "own" | "all" = "all"): Attempt[] {
    const networks = scope === "own" ? networksOf(peer).slice(0, 1) : networksOf(peer);
    return networks.map((network, level) => [this.#levels[level] as Throttle, network]);
  }

  /** Takes one attempt for all networks of the address. If one of them has none left, returns false and counts nothing. */
  take(peer: string): boolean {
    return takeAll(this.attempts(peer)) === 0;
  }

  /** Refunds one attempt that `take` counted for all networks of the address. */
  refund(peer: string): void {
    for (const [throttle, network] of this.attempts(peer)) {
      throttle.refund(network);
    }
  }

  /** Counts an attempt, even if none is left. */
  count(peer: string, scope: "own" | "all" = "all"): void {
    for (const [throttle, network] of this.attempts(peer, scope)) {
      throttle.count(network);
    }
  }

  /**
   * How many attempts were made recently, at the level that has used the largest part of its rate. Attempts are forgotten at the rate of
   * the limit.
   */
  recentAttempts(peer: string): number {
    return Math.max(
      ...this.attempts(peer).map(([throttle, network], level) => throttle.ahead(network) / (SHARES[level] as number)),
    );
  }
}

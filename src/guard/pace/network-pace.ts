// Rate limits for networks, each with the wider networks around it. Many neighbours share what one of them may not use up alone, and a caller with a
// wide IPv6 network does not start afresh with each address in it.
import type { Clock } from "../../runtime/clock.ts";
import { networksOf } from "./networks.ts";
import { type RateLimit, Throttle, type Try, takeAll } from "./throttle.ts";

// How many times the narrowest network's rate each level has.
const SHARES = [1, 4, 16];

/** Limits the tries of networks. */
export class NetworkPace {
  readonly #levels: readonly Throttle[];

  constructor(clock: Pick<Clock, "monotonicMs">, { burst, everyMs }: RateLimit) {
    this.#levels = SHARES.map((share) => new Throttle(clock, { burst: burst * share, everyMs: everyMs / share }));
  }

  /** A try from an address, counted for all networks that it is in or for the narrowest alone. */
  tries(peer: string, own: "own" | "all" = "all"): Try[] {
    const networks = own === "own" ? networksOf(peer).slice(0, 1) : networksOf(peer);
    return networks.map((network, level) => [this.#levels[level] as Throttle, network]);
  }

  /** Takes one try for all networks that the address is in. False, and nothing is counted, where one of them has none left. */
  take(peer: string): boolean {
    return takeAll(this.tries(peer)) === 0;
  }

  /** Takes back one try that was taken for all networks. */
  giveBack(peer: string): void {
    for (const [throttle, network] of this.tries(peer)) {
      throttle.giveBack(network);
    }
  }

  /** Counts a try without a check. */
  count(peer: string, own: "own" | "all" = "all"): void {
    for (const [throttle, network] of this.tries(peer, own)) {
      throttle.count(network);
    }
  }

  /** How many tries were made lately, at the level that has most in proportion. Tries fade at the rate of the limit. */
  triesLately(peer: string): number {
    return Math.max(...this.tries(peer).map(([throttle, network], level) => throttle.ahead(network) / (SHARES[level] as number)));
  }
}

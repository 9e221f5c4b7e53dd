// The pace of a network, and of the wider ones that it is in: many neighbours share what one of them may not use up alone, and a caller with
// a wide network of IPv6 does not begin anew with each address in it.
import type { Clock } from "../../runtime/clock.ts";
import { networksOf } from "./networks.ts";
import { type RateLimit, Throttle, type Try } from "./throttle.ts";

// How many times the pace of the narrowest network each wider one has.
const SHARES = [1, 4, 16];

/** Holds networks to a pace. */
export class NetworkPace {
  readonly #levels: readonly Throttle[];

  constructor(clock: Pick<Clock, "monotonicMs">, { burst, everyMs }: RateLimit) {
    this.#levels = SHARES.map((share) => new Throttle(clock, { burst: burst * share, everyMs: everyMs / share }));
  }

  /** A try from an address, with all networks that it is in, or with the narrowest alone. */
  tries(peer: string, own: "own" | "all" = "all"): Try[] {
    const networks = own === "own" ? networksOf(peer).slice(0, 1) : networksOf(peer);
    return networks.map((network, level) => [this.#levels[level] as Throttle, network]);
  }

  /** Counts a try, though it may be one too many. */
  count(peer: string, own: "own" | "all" = "all"): void {
    for (const [throttle, network] of this.tries(peer, own)) {
      throttle.count(network);
    }
  }

  /** How many tries were made lately, where they were most: what the pace has forgotten since then does not count. */
  triesLately(peer: string): number {
    return Math.max(...this.tries(peer).map(([throttle, network], level) => throttle.ahead(network) / (SHARES[level] as number)));
  }
}

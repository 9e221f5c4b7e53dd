// What a server knows about its region, for metrics: whether the region's database responds, how many calls it holds, and how many of the
// requests to the home database got a response.
import type { Clock } from "../../runtime/clock.ts";
import type { RegionStore } from "../../store/region/region-store.ts";
import type { RegionHome } from "../../store/store.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import { RegionCheck } from "./region-check.ts";

type CheckOptions = ConstructorParameters<typeof RegionCheck>[0];

interface RegionStatusOptions extends Omit<CheckOptions, "region" | "home"> {
  readonly region: RegionStore;
  readonly home: RegionHome;
  /** Between the guard and the region's database. */
  readonly leaseBreaker: StoreBreaker;
  readonly clock: Clock;
}

/**
 * `refill`: a request for calls. `review`: a comparison of the calls that the region holds with those that are left. `check`: a check of
 * the region's database.
 */
export const REGION_EXCHANGES = ["refill", "review", "check"] as const;

type Exchange = (typeof REGION_EXCHANGES)[number];

/** How many requests to the home database got a response, and how many did not. */
export interface ExchangeCounts {
  readonly ok: number;
  readonly failed: number;
}

export class RegionStatus {
  /** The home database, whose responses are counted. */
  readonly home: RegionHome;
  readonly check: RegionCheck;
  readonly #leaseBreaker: StoreBreaker;
  readonly #clock: Clock;
  readonly #counts: Record<Exchange, { ok: number; failed: number }> = {
    refill: { ok: 0, failed: 0 },
    review: { ok: 0, failed: 0 },
    check: { ok: 0, failed: 0 },
  };
  #lastMs: number | undefined;

  constructor({ home, leaseBreaker, ...options }: RegionStatusOptions) {
    this.#leaseBreaker = leaseBreaker;
    this.#clock = options.clock;
    this.home = {
      exchangeWithRegion: (request) =>
        this.#counted(request.want > 0 ? "refill" : "review", () => home.exchangeWithRegion(request)),
      lastRegionCheck: (regionId) => this.#counted("check", () => home.lastRegionCheck(regionId)),
      checkInRegion: (checkIn) => this.#counted("check", () => home.checkInRegion(checkIn)),
    };
    this.check = new RegionCheck({ ...options, home: this.home });
  }

  /** Whether the region's database responds, as far as is known. */
  get isUp(): boolean {
    return !this.#leaseBreaker.isOpen;
  }

  /** The requests to the home database since the start. */
  exchanges(kind: Exchange): ExchangeCounts {
    return this.#counts[kind];
  }

  /** When the home database last responded, in milliseconds since the Unix epoch; undefined if it has not yet. */
  get lastExchangeMs(): number | undefined {
    return this.#lastMs;
  }

  async #counted<Result>(kind: Exchange, ask: () => Promise<Result>): Promise<Result> {
    const counts = this.#counts[kind];
    try {
      const result = await ask();
      counts.ok += 1;
      this.#lastMs = this.#clock.nowMs();
      return result;
    } catch (error) {
      counts.failed += 1;
      throw error;
    }
  }
}

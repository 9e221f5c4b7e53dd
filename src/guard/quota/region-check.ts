// Checks that the region's database is still the one that leased calls before. An older state of it (restored from a backup, or a copy)
// would lease the same calls again. So the region's database must have counted at least as many checks as the home database has recorded.
// Otherwise the calls that it holds are forfeited, and it continues under a new id, as if it were empty.
//
// A server checks before it leases anything, again after its region's PostgreSQL was restarted, and every few seconds.
import type { Calendar } from "../../runtime/calendar.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { RegionHeld } from "../../store/region/region-records.ts";
import type { RegionStore } from "../../store/region/region-store.ts";
import type { RegionHome } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import { HomeUnavailable } from "./home-unavailable.ts";

interface RegionCheckOptions {
  readonly region: Pick<RegionStore, "name" | "countCheck" | "current" | "confirm" | "forfeit">;
  readonly home: Pick<RegionHome, "lastRegionCheck" | "checkInRegion">;
  /** Between the guard and the home database. */
  readonly breaker: StoreBreaker;
  readonly calendar: Calendar;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
}

export class RegionCheck {
  readonly #options: RegionCheckOptions;
  #running: Promise<void> | undefined;
  #forfeits = 0;
  #held: RegionHeld | undefined;

  constructor(options: RegionCheckOptions) {
    this.#options = options;
  }

  /** How many times this server found that the database was in an older state. */
  get forfeits(): number {
    return this.#forfeits;
  }

  /** How many calls the region held about a minute ago, and of how many quotas; undefined before the first check. */
  get held(): RegionHeld | undefined {
    return this.#held;
  }

  /**
   * Checks the database, or waits for the check that is in progress. Rejects with HomeUnavailable if the home database cannot be reached,
   * and with StoreUnavailable if the region's database cannot.
   */
  run(): Promise<void> {
    this.#running ??= this.#check().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #check(): Promise<void> {
    const { region, home, breaker, calendar, clock } = this.#options;
    if (!breaker.admits()) {
      throw new HomeUnavailable("The home database does not respond.");
    }
    const { id } = await region.current();
    const recorded = (await this.#ask(() => home.lastRegionCheck(id))) ?? 0;
    const counted = await region.countCheck({ id, recorded, month: calendar.today().month, nowMs: clock.nowMs() });
    if (counted === undefined) {
      await this.#forfeit(id, recorded);
      return;
    }
    const { number, held } = counted;
    this.#held = held;
    const before = (await this.#ask(() => home.checkInRegion({ regionId: id, name: region.name, number }))) ?? 0;
    // Another server of the region may have made a later check since. But no two checks of one database have the same number.
    if (before === number || before > (before < number ? number : (await region.current()).number)) {
      await this.#forfeit(id, before);
      return;
    }
    region.confirm(counted);
  }

  async #ask<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#options.breaker.run(ask);
    } catch (error) {
      throw error instanceof StoreUnavailable
        ? new HomeUnavailable("The home database does not respond.", { cause: error })
        : error;
    }
  }

  async #forfeit(id: string, recorded: number): Promise<void> {
    const { region, clock, log } = this.#options;
    const { number } = await region.current();
    if (await region.forfeit(id, clock.nowMs())) {
      this.#forfeits += 1;
      log.error(
        { region: region.name, region_checks: number, home_checks: recorded },
        "The region's database is older than the home database's record of it: it was restored from a backup, or copied. " +
          "The calls that it held for this month are lost, and it gets a new id",
      );
    }
  }
}

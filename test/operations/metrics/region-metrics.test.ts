// What the metrics of a server in a region say.
import { expect, test } from "vitest";
import { StoreBreaker } from "../../../src/guard/breaker/store-breaker.ts";
import { DEFAULT_GUARD_LIMITS } from "../../../src/guard/guard-limits.ts";
import { RegionStatus } from "../../../src/guard/quota/region-status.ts";
import { PROCESS_FAMILIES, type ProcessMetricsOptions } from "../../../src/operations/metrics/process-metrics.ts";
import { Calendar } from "../../../src/runtime/calendar.ts";
import { createLog } from "../../../src/runtime/log.ts";
import type { RegionStore } from "../../../src/store/region/region-store.ts";
import type { RegionHome } from "../../../src/store/store.ts";
import { StoreUnavailable } from "../../../src/store/store-errors.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const nowMs = Date.parse("2026-11-21T12:00:00Z");
const log = createLog("silent");

// The region's metrics by name and labels.
const metricsOf = (regionStatus: RegionStatus | undefined): Record<string, number> =>
  Object.fromEntries(
    PROCESS_FAMILIES.filter(({ name }) => name.startsWith("quintet_region_")).flatMap((family) =>
      family
        .read({ leaseOwner: { regionStatus } } as ProcessMetricsOptions)
        .map(({ labels, value }) => [[family.name.slice("quintet_region_".length), ...Object.values(labels)].join(" "), value]),
    ),
  );

function createScene() {
  const clock = createManualClock({ nowMs });
  const breaker = () => new StoreBreaker(clock, log, DEFAULT_GUARD_LIMITS);
  const state = { isHomeAway: false, number: 7, recorded: 3 };
  const region = {
    name: "east",
    current: async () => ({ id: "one", number: state.number, startedAt: "now" }),
    countCheck: async ({ recorded }: { recorded: number }) => {
      if (state.number < recorded) {
        return undefined;
      }
      state.number += 1;
      return { id: "one", number: state.number, startedAt: "now", held: { calls: 4000, quotas: 20 } };
    },
    confirm() {},
    forfeit: async () => true,
  } as unknown as RegionStore;
  const answer = async <Result>(result: Result): Promise<Result> => {
    if (state.isHomeAway) {
      throw new StoreUnavailable("It is away.");
    }
    return result;
  };
  const home: RegionHome = {
    exchangeWithRegion: () => answer({ granted: 10, returned: 0, unleased: 90 }),
    lastRegionCheck: () => answer(state.recorded),
    checkInRegion: () => answer(state.recorded),
  };
  const calendar = new Calendar(clock);
  const status = new RegionStatus({ region, home, breaker: breaker(), leaseBreaker: breaker(), calendar, clock, log });
  return { clock, state, status };
}

test("say nothing outside of regions", () => {
  expect(metricsOf(undefined)).toEqual({});
});

test("say what the region holds, how requests to the home database end, and when it last responded", async () => {
  const { clock, state, status } = createScene();
  const none = { "exchanges_total refill ok": 0, "exchanges_total refill failed": 0, "exchanges_total review ok": 0 };
  const unchecked = {
    ...none,
    "exchanges_total review failed": 0,
    "exchanges_total check ok": 0,
    "exchanges_total check failed": 0,
  };
  expect(metricsOf(status)).toEqual({ database_up: 1, ...unchecked, forfeits_total: 0 });
  await status.check.run();
  clock.advance(2000);
  const request = { regionId: "one", subject: "s-1", month: "2026-11", callsPerMonth: 100, granted: 0, returned: 0 } as const;
  await status.home.exchangeWithRegion({ ...request, want: 10 });
  await status.home.exchangeWithRegion({ ...request, want: 0 });
  state.isHomeAway = true;
  clock.advance(2000);
  await expect(status.home.exchangeWithRegion({ ...request, want: 10 })).rejects.toThrow("It is away.");
  const seen = {
    ...{ database_up: 1, held_calls: 4000, held_quotas: 20, last_exchange_timestamp_seconds: (nowMs + 2000) / 1000 },
    ...{ "exchanges_total refill ok": 1, "exchanges_total refill failed": 1, "exchanges_total review ok": 1 },
    ...{ "exchanges_total review failed": 0, "exchanges_total check ok": 2, "exchanges_total check failed": 0 },
  };
  expect(metricsOf(status)).toEqual({ ...seen, forfeits_total: 0 });
  state.isHomeAway = false;
  state.recorded = 9;
  await status.check.run();
  expect(metricsOf(status)).toMatchObject({ forfeits_total: 1 });
});

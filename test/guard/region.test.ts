// The leases of a server in a region while the home database is away: only customers whose region holds nothing notice.
import { expect, test } from "vitest";
import { DEFAULT_GUARD_LIMITS } from "../../src/guard/guard-limits.ts";
import { createLeaseOwner } from "../../src/guard/lease-owner.ts";
import type { Spent } from "../../src/guard/quota/month-lease.ts";
import type { RegionGrant, RegionQuota } from "../../src/store/region/region-records.ts";
import type { RegionStore } from "../../src/store/region/region-store.ts";
import { StoreUnavailable } from "../../src/store/store-errors.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { MemoryStore } from "./memory-store.ts";
import { createMemoryLog, NOON_MS, radioPlan, settled } from "./scene.ts";

const plan = radioPlan("free", 1000);
const limits = { ...DEFAULT_GUARD_LIMITS, storeSilenceMs: 250 };

/** A region that holds calls of some subscriptions, and a home database that fails when a test says so. */
function createScene(held: Readonly<Record<string, number>>) {
  const clock = createManualClock({ nowMs: NOON_MS });
  const left = new Map(Object.entries(held));
  const home = { state: "up" as "up" | "down" | "silent", asked: 0 };
  const region = {
    async lease({ subject, want }) {
      const had = left.get(subject as string);
      if (had === undefined) {
        return { regionId: "region", leased: 0, quota: undefined };
      }
      const leased = Math.min(want, had);
      left.set(subject as string, had - leased);
      return {
        regionId: "region",
        leased,
        quota: { granted: held[subject as string] ?? 0, returned: 0, left: had - leased, unleased: 0 },
      };
    },
    async returnCalls() {},
    async record({ subject, grant }) {
      left.set(subject as string, grant.granted);
      return {} as RegionQuota;
    },
  } satisfies Pick<RegionStore, "lease" | "returnCalls" | "record">;
  const exchangeWithRegion = async (): Promise<RegionGrant> => {
    home.asked += 1;
    if (home.state === "down") {
      throw new StoreUnavailable("It is down.");
    }
    return home.state === "silent" ? new Promise(() => {}) : { granted: 10, returned: 0, unleased: 990 };
  };
  const none = async (): Promise<undefined> => undefined;
  const store = Object.assign(new MemoryStore(), { exchangeWithRegion, lastRegionCheck: none, checkInRegion: none });
  const log = createMemoryLog();
  const owner = createLeaseOwner({ store, region: region as unknown as RegionStore, clock, log, limits, threads: 1 });
  const spendLater = (id: string): Promise<Spent | string> =>
    owner.allowances.of(`acme ${id}`, id, plan)?.spendLater() ?? Promise.resolve("no room");
  return { clock, home, owner, store, log, spendLater };
}

test("a call that the region holds nothing for waits for the home database, and is admitted", async () => {
  const { spendLater, store } = createScene({});
  expect(await spendLater("empty")).toMatchObject({ left: expect.any(Number) });
  expect(store.requested).toEqual([]);
});

test.each(["down", "silent"] as const)("while it is %s, only customers whose region holds nothing are refused", async (state) => {
  const { clock, home, owner, spendLater } = createScene({ full: 500 });
  home.state = state;
  const refused = spendLater("empty");
  await settled();
  // A customer whose region has calls waits neither for the home database nor behind the other.
  expect(await spendLater("full")).toMatchObject({ left: expect.any(Number) });
  clock.advance(limits.homeWaitMs);
  expect(await refused).toBe("unavailable");
  expect(owner.leaseBreaker.isOpen).toBe(false);
  expect(owner.breaker.isOpen).toBe(true);
  // The home database is not asked again so soon: the call is refused without a wait.
  expect(await spendLater("empty")).toBe("unavailable");
  expect(home.asked).toBe(1);
  expect(await spendLater("full")).toMatchObject({ left: expect.any(Number) });
});

test("once the home database is back, the region gets calls again", async () => {
  const { clock, home, spendLater } = createScene({});
  home.state = "down";
  expect(await spendLater("empty")).toBe("unavailable");
  home.state = "up";
  clock.advance(limits.probeIntervalMs);
  expect(await spendLater("empty")).toMatchObject({ left: expect.any(Number) });
});

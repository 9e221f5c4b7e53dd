// A region's leases on real databases: one home and two regions, with responses that are lost, servers that ask at once, and plans that
// change.
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { StoreBreaker } from "../../../src/guard/breaker/store-breaker.ts";
import { DEFAULT_GUARD_LIMITS } from "../../../src/guard/guard-limits.ts";
import { HomeUnavailable } from "../../../src/guard/quota/home-unavailable.ts";
import { RegionCheck } from "../../../src/guard/quota/region-check.ts";
import { RegionLeases } from "../../../src/guard/quota/region-leases.ts";
import { beginRegionReviews } from "../../../src/guard/quota/region-review.ts";
import { Calendar, dayAt } from "../../../src/runtime/calendar.ts";
import { systemClock as clock } from "../../../src/runtime/clock.ts";
import { createLog, type Log } from "../../../src/runtime/log.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import type { LeaseGrant } from "../../../src/store/records.ts";
import { migrateRegion } from "../../../src/store/region/migrate-region.ts";
import { openRegion, type RegionStore } from "../../../src/store/region/region-store.ts";
import type { RegionHome, Store } from "../../../src/store/store.ts";
import { StoreUnavailable } from "../../../src/store/store-errors.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";

const month = "2026-11" as const;
const PLAN = 1000;
const log = createLog("silent");
const radio = { id: "s-1", accountId: "a-1", service: "radio", plan: "free", state: "active" } as const;
const cap = { accountId: "a-1", capId: "k-1" };

describeWith(postgres, "Leases in regions", () => {
  let server: PostgresServer;
  let template: string;
  let homeUrl: string;
  let home: Store & RegionHome;
  let regions: readonly { readonly url: string; readonly store: RegionStore }[];
  beforeAll(async () => {
    server = await startPostgres();
    const url = await server.createDatabase();
    await migrateStore(optionsOf(url));
    template = server.nameOf(url);
  });
  afterAll(() => server.close());

  const optionsOf = (url: string) => ({
    dataDir: "/nonexistent",
    database: { url, connectionsMax: 3, staleAfterMs: 10_000 },
    clock,
    log,
  });

  beforeEach(async () => {
    homeUrl = await server.createDatabase(template);
    home = (await openStore({ ...optionsOf(homeUrl), role: "command" })) as Store & RegionHome;
    await home.createAccount({ id: "a-1", name: "Acme", email: null });
    await home.createSubscription(radio);
    regions = await Promise.all(["east", "west"].map(openNew));
    onTestFinished(async () => {
      await Promise.all([home.close(), ...regions.map(({ store }) => store.close())]);
    });
  });

  async function openNew(name: string) {
    const url = await server.createDatabase();
    const config = { name, url, connectionsMax: 3 };
    await migrateRegion(config, clock);
    return { url, store: await openRegion(config, clock) };
  }

  const breakerOf = (): StoreBreaker => new StoreBreaker(clock, log, { ...DEFAULT_GUARD_LIMITS, probeIntervalMs: 0 });

  /** A server of a region. Its stores may be replaced. */
  const serverIn = (
    region: number,
    overHome: RegionHome = home,
    overRegion = regions[region]?.store as RegionStore,
  ): RegionLeases => serverWith(overRegion, overHome).leases;

  function serverWith(region: RegionStore, overHome: RegionHome = home, logged: Log = log) {
    const options = { region, home: overHome, breaker: breakerOf(), calendar: new Calendar(clock), clock, log: logged };
    const check = new RegionCheck(options);
    return { check, leases: new RegionLeases({ ...options, check, homeWaitMs: 10_000 }) };
  }

  const leasedAtHome = async (): Promise<number | undefined> => (await home.leasedCalls(["s-1"], month))[0]?.leased;
  const rowsOf = (region: number) =>
    inDatabase(regions[region]?.url as string, async (client) => {
      const columns = "granted::int, returned::int, returned_at_home::int, leased::int, unleased::int";
      return (await client.query(`select ${columns} from region_quotas order by subject`)).rows;
    });

  const idOf = async (region: number): Promise<string> => (await (regions[region] as (typeof regions)[number]).store.current()).id;

  /** A home database that loses the requests and responses for which `isLost` is true. */
  const losing = (isLost: (what: "request" | "response") => boolean): RegionHome => ({
    lastRegionCheck: (regionId) => home.lastRegionCheck(regionId),
    checkInRegion: (checkIn) => home.checkInRegion(checkIn),
    async exchangeWithRegion(request) {
      if (isLost("request")) {
        throw new StoreUnavailable("The request was lost.");
      }
      const grant = await home.exchangeWithRegion(request);
      if (isLost("response")) {
        throw new StoreUnavailable("The response was lost.");
      }
      return grant;
    },
  });

  /** Leases one call after another until there are no more. Returns how many there were. */
  async function useUp(lessee: RegionLeases, callsPerMonth = PLAN, want = 7): Promise<number> {
    for (let used = 0; ; ) {
      const { granted } = await lessee.lease("s-1", month, callsPerMonth, want);
      used += granted;
      if (granted === 0) {
        return used;
      }
    }
  }

  test("are taken from the home database in blocks, before the region runs low", async () => {
    const one = serverIn(0);
    expect(await one.lease("s-1", month, PLAN, 3)).toEqual({ granted: 3, unleased: 997 });
    await expect.poll(() => rowsOf(0)).toEqual([{ granted: 103, returned: 0, returned_at_home: 0, leased: 3, unleased: 897 }]);
    expect(await one.lease("s-1", month, PLAN, 4)).toEqual({ granted: 4, unleased: 993 });
    await one.returnCalls("s-1", month, 2);
    expect(await rowsOf(0)).toEqual([{ granted: 103, returned: 0, returned_at_home: 0, leased: 5, unleased: 897 }]);
    expect(await leasedAtHome()).toBe(103);
    expect(await one.leasedCalls(["s-1", "s-9"], month)).toEqual([
      { subscriptionId: "s-1", month, leased: 5, credited: 0, raised: 0 },
    ]);
    expect(await one.heldOf(["s-1"], month)).toEqual(new Map([["s-1", 98]]));
  });

  test("can be used up to the last call by two regions at once, and no further", async () => {
    const servers = [serverIn(0), serverIn(0), serverIn(1), serverIn(1)];
    const used = await Promise.all(servers.map((one) => useUp(one)));
    // The other region may have held the last calls.
    const rest = await Promise.all(servers.map((one) => useUp(one)));
    expect([...used, ...rest].reduce((sum, calls) => sum + calls, 0)).toBe(PLAN);
    expect(await leasedAtHome()).toBe(PLAN);
  });

  test("of a cap are taken like those of a subscription, and nothing of it", async () => {
    const one = serverIn(0);
    expect(await one.lease(cap, month, 50, 20)).toEqual({ granted: 5, unleased: 45 });
    expect(await home.leasedCapCalls([cap], month)).toMatchObject([{ capId: "k-1", leased: expect.any(Number) }]);
    expect(await one.leasedCapCalls([cap], month)).toEqual([{ capId: "k-1", month, leased: 5, credited: 0 }]);
    expect(await leasedAtHome()).toBe(0);
  });

  test("are served from the region while the home database cannot be reached, and refused when it holds no more", async () => {
    let isCut = false;
    const one = serverIn(
      0,
      losing(() => isCut),
    );
    await one.lease("s-1", month, PLAN, 3);
    await expect.poll(async () => (await rowsOf(0))[0].granted).toBe(103);
    isCut = true;
    await expect(useUp(one)).rejects.toBeInstanceOf(HomeUnavailable);
    expect(await rowsOf(0)).toMatchObject([{ granted: 103, leased: 103 }]);
    // Although the region holds calls of the quota, it can still be used up.
    isCut = false;
    expect(await useUp(one)).toBe(PLAN - 103);
  });

  test("that the home database granted and the region never received are not lost, and not granted twice", async () => {
    let lost = 0;
    const forgetful = serverIn(
      0,
      losing((what) => what === "response" && lost++ < 2),
    );
    await expect(forgetful.lease("s-1", month, PLAN, 3)).rejects.toBeInstanceOf(HomeUnavailable);
    expect([await leasedAtHome(), await rowsOf(0)]).toEqual([10, []]);
    // Another server of the region makes the same request, and gets the same grant.
    expect(await serverIn(0).lease("s-1", month, PLAN, 3)).toEqual({ granted: 3, unleased: 997 });
    await expect.poll(leasedAtHome).toBe(103);
  });

  test("of a plan that is now smaller are returned first, so that both plans together never allow more", async () => {
    const one = serverIn(0);
    await one.lease("s-1", month, PLAN, 3);
    await expect.poll(async () => (await rowsOf(0))[0].granted).toBe(103);
    expect(await useUp(one, 50)).toBe(47);
    expect(await leasedAtHome()).toBe(50);
    expect(await rowsOf(0)).toMatchObject([{ returned: 100, returned_at_home: 100, leased: 50 }]);
  });

  test("continue when an operator credits calls, and when the plan is larger", async () => {
    const one = serverIn(0);
    expect(await useUp(one, 50)).toBe(50);
    await home.credit("s-1", month, 20);
    expect(await useUp(one, 50)).toBe(20);
    expect(await useUp(one, 100)).toBe(50);
  });

  test("of a lost region are forfeited, and its new database begins with nothing", async () => {
    await serverIn(0).lease("s-1", month, PLAN, 3);
    await expect.poll(leasedAtHome).toBe(103);
    const fresh = await openNew("east");
    const again = serverIn(0, home, fresh.store);
    expect(await useUp(again)).toBe(PLAN - 103);
    await fresh.store.close();
  });

  test("go on after the home database was restored from a backup", async () => {
    const one = serverIn(0);
    await one.lease("s-1", month, PLAN, 3);
    await expect.poll(async () => (await rowsOf(0))[0].granted).toBe(103);
    // A request that was made before the last grant.
    const request = { regionId: await idOf(0), subject: "s-1", month, callsPerMonth: PLAN, returned: 0 } as const;
    expect(await home.exchangeWithRegion({ ...request, granted: 150, want: 10 })).toEqual({
      granted: 160,
      returned: 0,
      unleased: 887,
    });
  });

  /** The rows of a region's database, as a backup has them. */
  async function backUp(url: string): Promise<() => Promise<void>> {
    const tables = ["region", "region_quotas"];
    const rows = await inDatabase(url, async (client) =>
      Promise.all(tables.map(async (table) => JSON.stringify((await client.query(`select * from ${table}`)).rows))),
    );
    // Recreates the tables, as `pg_restore --clean` does.
    return () =>
      inDatabase(url, async (client) => {
        await client.query("begin");
        for (const [index, table] of tables.entries()) {
          await client.query(`create table restored (like ${table} including all)`);
          await client.query(`insert into restored select * from json_populate_recordset(null::restored, $1)`, [rows[index]]);
          await client.query(`drop table ${table}`);
          await client.query(`alter table restored rename to ${table}`);
        }
        await client.query("commit");
      });
  }

  const newLog = () => {
    const lines: { readonly facts: object; readonly text: string }[] = [];
    const error = (facts: object, text: string): void => void lines.push({ facts, text });
    return { lines, log: { ...log, error } as unknown as Log };
  };

  test("of a region whose database was restored from a backup are forfeited, by servers that were running and by new ones", async () => {
    const { store, url } = regions[0] as (typeof regions)[number];
    const { lines, log: logged } = newLog();
    const running = serverWith(store, home, logged);
    let used = (await running.leases.lease("s-1", month, PLAN, 3)).granted;
    await expect.poll(() => rowsOf(0)).toMatchObject([{ granted: 103, unleased: 897 }]);
    const restore = await backUp(url);
    const before = await idOf(0);
    // What is leased now is not in the backup.
    used += (await running.leases.lease("s-1", month, PLAN, 40)).granted;
    await running.check.run();
    await restore();
    expect(await rowsOf(0)).toMatchObject([{ leased: 3 }]);
    const fresh = await openRegion({ name: "east", url, connectionsMax: 3 }, clock);
    onTestFinished(() => fresh.close());
    const started = serverWith(fresh, home, logged);
    const [{ granted: one }, { granted: other }] = await Promise.all(
      [running, started].map(({ leases }) => leases.lease("s-1", month, PLAN, 5)) as [Promise<LeaseGrant>, Promise<LeaseGrant>],
    );
    used += one + other;
    expect(lines).toEqual([
      {
        facts: { region: "east", region_checks: 1, home_checks: 2 },
        text:
          "The region's database is older than the home database's record of it: it was restored from a backup, or copied. " +
          "The calls that it held for this month are lost, and it gets a new id",
      },
    ]);
    expect(running.check.forfeits + started.check.forfeits).toBe(1);
    expect(await idOf(0)).not.toBe(before);
    used += (await useUp(running.leases)) + (await useUp(serverIn(1)));
    used += (await useUp(running.leases)) + (await useUp(serverIn(1)));
    expect(used).toBe(PLAN - 60);
    expect(await leasedAtHome()).toBe(PLAN);
  });

  test("are not leased from a copy of the region's database", async () => {
    const copy = await openNew("east");
    onTestFinished(() => copy.store.close());
    const original = serverIn(0);
    const { granted } = await original.lease("s-1", month, PLAN, 3);
    await expect.poll(async () => (await rowsOf(0))[0].granted).toBe(103);
    const url = regions[0]?.url as string;
    const rows = await inDatabase(url, async (client) => (await client.query("select * from region_quotas")).rows);
    const { id, number } = await (regions[0] as (typeof regions)[number]).store.current();
    await inDatabase(copy.url, async (client) => {
      await client.query("insert into region_quotas select * from json_populate_recordset(null::region_quotas, $1)", [
        JSON.stringify(rows),
      ]);
      await client.query("update region set id = $1, number = $2", [id, number]);
    });
    // They would check in with the same number.
    const check = serverWith(regions[0]?.store as RegionStore).check;
    await check.run();
    const copied = serverWith(copy.store);
    const used = granted + (await useUp(copied.leases)) + (await useUp(original)) + (await useUp(copied.leases));
    expect(copied.check.forfeits).toBe(1);
    expect(used).toBe(PLAN);
  });

  test("are not leased while the home database cannot confirm that the region's database is still the same", async () => {
    const { store } = regions[0] as (typeof regions)[number];
    let isCut = false;
    const cut: RegionHome = {
      exchangeWithRegion: (request) => home.exchangeWithRegion(request),
      lastRegionCheck: (regionId) => home.lastRegionCheck(regionId),
      checkInRegion: async (checkIn) => {
        if (isCut) {
          throw new StoreUnavailable("It is cut off.");
        }
        return home.checkInRegion(checkIn);
      },
    };
    const one = serverWith(store, cut);
    expect(await one.leases.lease("s-1", month, PLAN, 3)).toMatchObject({ granted: 3 });
    await expect.poll(async () => (await rowsOf(0))[0].granted).toBe(103);
    isCut = true;
    expect(await one.leases.lease("s-1", month, PLAN, 3)).toMatchObject({ granted: 3 });
    // Its PostgreSQL was restarted.
    store.confirm({ ...(await store.current()), startedAt: "before" });
    await expect(one.leases.lease("s-1", month, PLAN, 3)).rejects.toBeInstanceOf(HomeUnavailable);
    isCut = false;
    expect(await one.leases.lease("s-1", month, PLAN, 3)).toMatchObject({ granted: 3 });
  });

  test("that were granted to a region before its database got a new id are not recorded in it", async () => {
    const { store } = regions[0] as (typeof regions)[number];
    const regionId = await idOf(0);
    expect([await store.forfeit(regionId, 0), await store.forfeit(regionId, 0)]).toEqual([true, false]);
    const grant = { granted: 10, returned: 0, unleased: 5 };
    const report = { regionId, subject: "s-1", month, callsPerMonth: PLAN, grant, keep: undefined, nowMs: 0 };
    await expect(store.record(report)).rejects.toThrow("The region's database has a new id.");
    expect(await rowsOf(0)).toEqual([]);
  });

  test("are counted once a minute by one server, for all", async () => {
    const { store } = regions[0] as (typeof regions)[number];
    await serverIn(0).lease("s-1", month, PLAN, 3);
    await expect.poll(async () => (await rowsOf(0))[0].granted).toBe(103);
    const id = await idOf(0);
    const held = async (nowMs: number) => (await store.countCheck({ id, recorded: 0, month, nowMs }))?.held;
    const nowMs = clock.nowMs();
    await held(nowMs + 120_000);
    expect(await held(nowMs + 120_001)).toEqual({ calls: 100, quotas: 1 });
    await inDatabase(regions[0]?.url as string, (client) => client.query("update region_quotas set leased = leased + 10"));
    expect(await held(nowMs + 180_000)).toEqual({ calls: 100, quotas: 1 });
    await held(nowMs + 180_001);
    expect(await held(nowMs + 180_002)).toEqual({ calls: 90, quotas: 1 });
  });

  test("are not leased without a subscription", async () => {
    await expect(serverIn(0).lease("s-9", month, PLAN, 3)).rejects.toThrow("There is no subscription with the ID s-9.");
  });

  test("that a quiet region holds are returned when others have used up the rest", async () => {
    const quiet = serverIn(0);
    await quiet.lease("s-1", month, PLAN, 3);
    await expect.poll(async () => (await rowsOf(0))[0].granted).toBe(103);
    expect(await useUp(serverIn(1))).toBe(PLAN - 103);
    // The home database's last report is out of date.
    await inDatabase(regions[0]?.url as string, (client) => client.query("update region_quotas set reported_at_ms = 0"));
    const reviewed = createManualClock({ nowMs: Date.UTC(2026, 10, 15) });
    let answers = 0;
    const end = beginRegionReviews({
      region: regions[0]?.store as RegionStore,
      home: {
        // The home database records what was returned, but its response is lost.
        exchangeWithRegion: async (request) => {
          const grant = await home.exchangeWithRegion(request);
          answers += 1;
          if (answers === 2) {
            throw new StoreUnavailable("The response was lost.");
          }
          return grant;
        },
      },
      breaker: breakerOf(),
      calendar: new Calendar(reviewed),
      clock: reviewed,
      log,
    });
    reviewed.advance(5000);
    await expect.poll(() => rowsOf(0)).toMatchObject([{ granted: 103, returned: 100, leased: 3 }]);
    await expect.poll(leasedAtHome).toBe(PLAN - 100);
    await expect.poll(() => answers).toBe(2);
    // When the request is repeated, the home database counts nothing as returned twice.
    await inDatabase(regions[0]?.url as string, (client) => client.query("update region_quotas set reported_at_ms = 0"));
    reviewed.advance(5000);
    await expect.poll(() => rowsOf(0)).toMatchObject([{ returned: 100, returned_at_home: 100 }]);
    expect(await leasedAtHome()).toBe(PLAN - 100);
    await end();
    expect(await useUp(serverIn(1))).toBe(100);
    expect(await useUp(quiet)).toBe(0);
  });

  test("of a deleted account's caps are forgotten", async () => {
    const wish = {
      name: "key",
      hash: "11",
      prefix: "qk_live_",
      lastFour: "wxyz",
      services: null,
      expiresAtMs: null,
      lifetimeMs: null,
    };
    await home.createKey({ ...wish, id: "k-1", accountId: "a-1", callsPerMonth: 50 });
    await serverIn(0).lease(cap, month, 50, 20);
    const subjects = () => inDatabase(homeUrl, async (client) => (await client.query("select subject from region_leases")).rows);
    expect(await subjects()).toEqual([{ subject: "key:k-1" }]);
    await home.deleteAccount("a-1");
    expect(await subjects()).toEqual([]);
  });

  test("of past months are deleted, by the clock of the region's database", async () => {
    const store = regions[0]?.store as RegionStore;
    const grant = { granted: 10, returned: 0, unleased: 5 };
    const report = { regionId: await idOf(0), subject: "s-1", callsPerMonth: PLAN, grant, keep: undefined, nowMs: 0 };
    await store.record({ ...report, month: "2020-01" });
    await store.record({ ...report, month: dayAt(clock.nowMs()).month });
    expect(await store.deleteExpired()).toBe(false);
    expect(await rowsOf(0)).toHaveLength(1);
  });

  test("are refused if the databases are mixed up", async () => {
    const refusedBy = async (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => "",
        (error: Error) => error.message,
      );
    const east = { name: "east", connectionsMax: 1 };
    const url = regions[0]?.url as string;
    expect(await refusedBy(openRegion({ ...east, url: homeUrl }, clock))).toBe(
      "QUINTET_REGION_DATABASE_URL names a home database. A region needs a database of its own, which is empty at first.",
    );
    expect(await refusedBy(openRegion({ ...east, name: "west", url }, clock))).toBe(
      "The database that QUINTET_REGION_DATABASE_URL names belongs to the region east, and QUINTET_REGION is west. " +
        "Each region has a database of its own.",
    );
    expect(await refusedBy(openRegion({ ...east, url: await server.createDatabase() }, clock))).toBe(
      "The region's database is empty. Run `quintet migrate` once, then start again.",
    );
    expect(await refusedBy(openStore({ ...optionsOf(url), role: "command" }))).toBe(
      "QUINTET_DATABASE_URL names the database of a region. Point it to the home database, and QUINTET_REGION_DATABASE_URL to this one.",
    );
    expect(await refusedBy(openRegion({ ...east, url: "postgres://quintet:secret@127.0.0.1:9/region" }, clock))).toBe(
      "The database that QUINTET_REGION_DATABASE_URL names cannot be used: connect ECONNREFUSED 127.0.0.1:9. " +
        "Check that it is running and that the URL is correct.",
    );
  });

  test.each([1, 2, 3])("are never more than the plan, however often a region is restored from backups: seed %i", async (seed) => {
    const random = seeded(seed);
    const { store, url } = regions[0] as (typeof regions)[number];
    const second = await openRegion({ name: "east", url, connectionsMax: 3 }, clock);
    onTestFinished(() => second.close());
    const inEast = [serverWith(store), serverWith(second)];
    const west = serverIn(1);
    let spent = 0;
    let restores = 0;
    const use = async (leases: RegionLeases): Promise<void> => {
      try {
        const { granted } = await leases.lease("s-1", month, PLAN, 1 + Math.floor(random() * 20));
        const back = Math.floor(granted * random() * 0.5);
        // Counted as spent first: if its return fails, nobody may use it.
        spent += granted - back;
        await leases.returnCalls("s-1", month, back);
      } catch {
        // A table was just replaced, or the region got a new id.
      }
    };
    let restore = await backUp(url);
    for (let step = 0; step < 30; step++) {
      await Promise.all([...inEast.map(({ leases }) => leases), west, inEast[0]?.leases as RegionLeases].map(use));
      if (random() < 0.2) {
        // Some server has checked since the backup was made.
        await inEast[Math.floor(random() * 2)]?.check.run();
        await Promise.all([restore(), ...inEast.map(({ leases }) => use(leases))]);
        restores += 1;
      } else if (random() < 0.3) {
        restore = await backUp(url);
      }
      // Every call that was used is charged at home.
      expect(spent).toBeLessThanOrEqual((await leasedAtHome()) as number);
    }
    expect(restores).toBeGreaterThan(0);
    expect(inEast.reduce((sum, { check }) => sum + check.forfeits, 0)).toBeGreaterThan(0);
    expect(await leasedAtHome()).toBeLessThanOrEqual(PLAN);
  });

  describe.each([1, 2, 3, 4, 5, 6])("with faults drawn from seed %i", (seed) => {
    test("are never more than the plan, and are lost only with responses of the region's own database", async () => {
      const random = seeded(seed);
      const chance = (part: number): boolean => random() < part;
      let isHealthy = false;
      let outcomeUnknown = 0;
      let spent = 0;
      const lossy = losing(() => !isHealthy && chance(0.2));
      /** A region's database whose connections break before or after a commit. */
      const breaking = (store: RegionStore): RegionStore => {
        const broken = async <Result>(work: () => Promise<Result>, lost: (result: Result) => void): Promise<Result> => {
          if (!isHealthy && chance(0.1)) {
            throw new StoreUnavailable("The region could not be reached.");
          }
          const result = await work();
          if (!isHealthy && chance(0.1)) {
            lost(result);
            throw new StoreUnavailable("The region's response was lost.");
          }
          return result;
        };
        return {
          ...store,
          lease: (request) =>
            broken(
              () => store.lease(request),
              (lease) => {
                outcomeUnknown += lease === "unchecked" ? 0 : lease.leased;
              },
            ),
          record: (report) =>
            broken(
              () => store.record(report),
              () => {},
            ),
          returnCalls: store.returnCalls,
        };
      };
      const use = async (one: RegionLeases): Promise<"served" | "used up" | "unavailable"> => {
        try {
          const { granted } = await one.lease("s-1", month, PLAN, 1 + Math.floor(random() * 20));
          // Some are returned.
          const back = Math.floor(granted * random() * 0.5);
          spent += granted - back;
          await one.returnCalls("s-1", month, back);
          return granted === 0 ? "used up" : "served";
        } catch (error) {
          if (error instanceof HomeUnavailable || error instanceof StoreUnavailable) {
            return "unavailable";
          }
          throw error;
        }
      };
      const start = (index: number): RegionLeases => serverIn(index % 2, lossy, breaking(regions[index % 2]?.store as RegionStore));
      const servers = [0, 1, 2, 3].map(start);
      const steps = servers.map(async (_, index) => {
        for (let step = 0; step < 40; step++) {
          // A server that is killed holds nothing here. One that takes its place knows nothing.
          if (chance(0.1)) {
            servers[index] = start(index);
          }
          await use(servers[index] as RegionLeases);
        }
      });
      await Promise.all(steps);
      expect(spent).toBeLessThanOrEqual(PLAN - outcomeUnknown);
      isHealthy = true;
      await Promise.all(
        servers.map(async (_, index) => {
          while ((await use(start(index))) !== "used up") {}
        }),
      );
      while ((await use(start(0))) !== "used up" || (await use(start(1))) !== "used up") {}
      expect(spent).toBe(PLAN - outcomeUnknown);
      expect(await leasedAtHome()).toBe(PLAN);
    });
  });
});

// A region that is cut off from the home database for an hour: real databases, and servers' own code with a clock that is set forward second
// by second. Prints how many calls of the region were served meanwhile, for customers who use up their month in 24 days, and for some who
// call at their full rate.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { DEFAULT_GUARD_LIMITS } from "../../../src/guard/guard-limits.ts";
import { createLeaseOwner, type LeaseOwner } from "../../../src/guard/lease-owner.ts";
import { beginLeaseReviews } from "../../../src/guard/quota/lease-review.ts";
import { beginRegionReviews } from "../../../src/guard/quota/region-review.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import { migrateRegion } from "../../../src/store/region/migrate-region.ts";
import { openRegion } from "../../../src/store/region/region-store.ts";
import type { RegionHome, Store } from "../../../src/store/store.ts";
import { StoreUnavailable } from "../../../src/store/store-errors.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { radioPlan } from "../../guard/scene.ts";
import { databaseOptions } from "./stores.ts";

const REGIONS = ["east", "west"] as const;
const SERVERS = 2;
// Before the cut, long enough that each region holds its share; the cut; and after it, until east has caught up.
const [BEFORE_S, CUT_S, AFTER_S] = [3600, 3600, 300];
const DAYS_S = 24 * 86_400;
const CHECK_EVERY_S = 30;
const log = createLog("silent");

interface Kind {
  readonly name: string;
  readonly customers: number;
  readonly callsPerMonth: number;
  readonly callsPerSecond: number;
}

const KINDS: readonly Kind[] = [
  { name: "10,000, in 24 days", customers: 40, callsPerMonth: 10_000, callsPerSecond: 10_000 / DAYS_S },
  { name: "100,000, in 24 days", customers: 40, callsPerMonth: 100_000, callsPerSecond: 100_000 / DAYS_S },
  { name: "100,000, at 10/s", customers: 1, callsPerMonth: 100_000, callsPerSecond: 10 },
  { name: "1,000,000, at 10/s", customers: 1, callsPerMonth: 1_000_000, callsPerSecond: 10 },
];

interface Customer {
  readonly id: string;
  readonly kind: Kind;
  served: number;
  cutCalls: number;
  cutServed: number;
}

interface Server {
  readonly region: (typeof REGIONS)[number];
  readonly owner: LeaseOwner;
}

describeWith(postgres, "A region that is cut off for an hour", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("serves what it holds, and all regions together never more than the plan", async () => {
    const now = new Date(systemClock.nowMs());
    const clock = createManualClock({ nowMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 15, 12) });
    const random = seeded(26);
    const homeUrl = await server.createDatabase();
    await migrateStore(databaseOptions(homeUrl));
    const store = (await openStore({ ...databaseOptions(homeUrl), role: "command" })) as Store & RegionHome;
    onTestFinished(() => store.close());
    const customers = KINDS.flatMap((kind, at) =>
      Array.from({ length: kind.customers }, (_, index): Customer => {
        return { id: `s-${at}-${index}`, kind, served: 0, cutCalls: 0, cutServed: 0 };
      }),
    );
    await inDatabase(homeUrl, async (client) => {
      const ids = customers.map(({ id }) => id);
      await client.query(
        "insert into accounts (id, name, suspended, created_at_ms) select id, id, 0, 0 from unnest($1::text[]) as id",
        [ids],
      );
      await client.query(
        `insert into subscriptions (id, account_id, service, plan, state, created_at_ms)
          select id, id, 'radio', 'free', 'active', 0 from unnest($1::text[]) as id`,
        [ids],
      );
    });

    // Requests in progress: the clock stands still until all have ended.
    let inFlight = 0;
    const counted =
      <Request extends unknown[], Result>(ask: (...request: Request) => Promise<Result>) =>
      async (...request: Request): Promise<Result> => {
        inFlight += 1;
        try {
          return await ask(...request);
        } finally {
          inFlight -= 1;
        }
      };
    const settle = async (): Promise<void> => {
      do {
        await new Promise(setImmediate);
      } while (inFlight > 0);
      await new Promise(setImmediate);
    };

    let isCut = false;
    const homeOf = (region: string): Store & RegionHome => {
      const reached =
        <Request extends unknown[], Result>(ask: (...request: Request) => Promise<Result>) =>
        (...request: Request): Promise<Result> =>
          isCut && region === "east" ? Promise.reject(new StoreUnavailable("It is cut off.")) : counted(ask)(...request);
      return {
        ...store,
        exchangeWithRegion: reached(store.exchangeWithRegion),
        lastRegionCheck: reached(store.lastRegionCheck),
        checkInRegion: reached(store.checkInRegion),
      };
    };
    const ends: (() => Promise<unknown>)[] = [];
    const startServer = async (region: (typeof REGIONS)[number], url: string): Promise<Server> => {
      const opened = await openRegion({ name: region, url, connectionsMax: 2 }, clock);
      onTestFinished(() => opened.close());
      const { lease, returnCalls, record, dueQuotas, quotas, countCheck, current } = opened;
      const near = {
        ...opened,
        ...{ lease: counted(lease), returnCalls: counted(returnCalls), record: counted(record), dueQuotas: counted(dueQuotas) },
        ...{ quotas: counted(quotas), countCheck: counted(countCheck), current: counted(current) },
      };
      const home = homeOf(region);
      const owner = createLeaseOwner({ store: home, region: near, clock, log, limits: DEFAULT_GUARD_LIMITS, threads: 1 });
      const { regionLeases, regionStatus } = owner;
      if (regionLeases === undefined || regionStatus === undefined) {
        throw new Error("The server is in a region.");
      }
      ends.push(beginLeaseReviews({ ...owner, store: regionLeases, breaker: owner.leaseBreaker, clock, log }));
      ends.push(beginRegionReviews({ ...owner, region: near, home: regionStatus.home, clock, log }));
      return { region, owner };
    };
    const servers: Server[] = [];
    for (const region of REGIONS) {
      const url = await server.createDatabase();
      await migrateRegion({ name: region, url, connectionsMax: 2 }, clock);
      for (let started = 0; started < SERVERS; started++) {
        servers.push(await startServer(region, url));
      }
    }

    const callOnce = async (customer: Customer): Promise<void> => {
      const { region, owner } = servers[Math.floor(random() * servers.length)] as Server;
      const { callsPerMonth } = customer.kind;
      const plan = radioPlan("free", callsPerMonth, 10);
      const allowance = owner.allowances.of(`${customer.id} radio`, customer.id, plan);
      const spent = allowance?.spend(owner.calendar.today()) ?? (await allowance?.spendLater());
      const isServed = typeof spent === "object";
      customer.served += isServed ? 1 : 0;
      if (isCut && region === "east") {
        customer.cutCalls += 1;
        customer.cutServed += isServed ? 1 : 0;
      }
    };
    for (let second = 0; second < BEFORE_S + CUT_S + AFTER_S; second++) {
      isCut = second >= BEFORE_S && second < BEFORE_S + CUT_S;
      clock.advance(1000);
      if (second % CHECK_EVERY_S === 0) {
        for (const { owner } of servers) {
          owner.regionStatus?.check.run().catch(() => {});
        }
      }
      for (const customer of customers) {
        const { callsPerSecond } = customer.kind;
        const calls = Math.floor(callsPerSecond) + (random() < callsPerSecond % 1 ? 1 : 0);
        for (let made = 0; made < calls; made++) {
          void callOnce(customer);
        }
      }
      await settle();
    }
    await Promise.all(ends.map((end) => end()));

    const leased = await inDatabase(homeUrl, (client) => client.query("select account_id, leased::int from month_leases"));
    const leasedOf = new Map<string, number>(leased.rows.map((row) => [row.account_id, row.leased]));
    const over = customers.filter(({ id, kind, served }) => served > (leasedOf.get(id) ?? 0) || served > kind.callsPerMonth);
    expect(over).toEqual([]);
    const rows = KINDS.map((kind) => {
      const ofKind = customers.filter((customer) => customer.kind === kind);
      const sum = (of: (customer: Customer) => number): number => ofKind.reduce((total, customer) => total + of(customer), 0);
      return { kind, calls: sum(({ cutCalls }) => cutCalls), served: sum(({ cutServed }) => cutServed) };
    });
    process.stdout.write(
      `| plan, used | calls in the region while cut off | served |\n| --- | ---: | ---: |\n${rows
        .map(({ kind, calls, served }) => `| ${kind.name} | ${calls} | ${((100 * served) / calls).toFixed(2)}% |\n`)
        .join("")}`,
    );
    for (const { kind, calls, served } of rows.filter(({ kind: { callsPerSecond } }) => callsPerSecond < 1)) {
      expect(served / calls, kind.name).toBeGreaterThanOrEqual(0.99);
    }
  });
});

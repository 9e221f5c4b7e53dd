// Regions, each with a PostgreSQL and servers of its own, and each at its own distance from the home database: a customer uses up a month
// in all of them while servers are killed, a region is cut off from home, and the database of a region crashes. There are three regions, or
// as many as QUINTET_REAL_REGIONS says, from 2 to 4.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createAccount } from "../../../src/account/accounts.ts";
import { createKey } from "../../../src/account/keys.ts";
import { leaseMax } from "../../../src/guard/quota/lease-size.ts";
import { systemClock as clock } from "../../../src/runtime/clock.ts";
import { systemRandomness as randomness } from "../../../src/runtime/randomness.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import { migrateRegion } from "../../../src/store/region/migrate-region.ts";
import { planFile } from "../../fixtures/plan-file.ts";
import { startDelayingProxy } from "../../fixtures/servers/delaying-proxy.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { good } from "./call-inputs.ts";
import { passed, pick } from "./callers.ts";
import { PROTOCOLS } from "./history.ts";
import { NodeProcess } from "./node-process.ts";
import { databaseOptions } from "./stores.ts";

const ALL_REGIONS = [
  { name: "east", toHomeMs: 80 },
  { name: "west", toHomeMs: 80 },
  { name: "north", toHomeMs: 30 },
  { name: "south", toHomeMs: 160 },
] as const;
const REGIONS = ALL_REGIONS.slice(0, Math.max(2, Number(process.env.QUINTET_REAL_REGIONS ?? 3)));
// A call that waits for home takes longer than this.
const FAST_MS = 25;
const CALLS_PER_MONTH = 8000;
const CALLERS = 4;
// Callers of a region pause between calls, so that what it holds lasts for the cut.
const PAUSE_MS = 40;
const CUT_MS = 2000;
const DOWN_MS = 300;

interface Region {
  readonly name: string;
  readonly proxy: Awaited<ReturnType<typeof startDelayingProxy>>;
  readonly variables: Record<string, string>;
  readonly url: string;
  readonly nodes: (NodeProcess | undefined)[];
}

interface Calls {
  readonly outcomes: Record<string, number>;
  /** How long the admitted ones took, in milliseconds. */
  readonly tookMs: number[];
}

describeWith(postgres, `A month that ${REGIONS.length} regions use`, () => {
  let home: PostgresServer;
  let regional: readonly PostgresServer[];
  beforeAll(async () => {
    [home, ...regional] = (await Promise.all([startPostgres(), ...REGIONS.map(() => startPostgres())])) as [
      PostgresServer,
      ...PostgresServer[],
    ];
  });
  afterAll(() => Promise.all([home, ...regional].map((server) => server.close())));

  test("never allows more than the plan, and a region that is cut off goes on serving", async () => {
    const directory = makeTemporaryDirectory();
    onTestFinished(() => directory.remove());
    const plansPath = join(directory.path, "plans.json");
    const terms = { callsPerMonth: CALLS_PER_MONTH, requestsPerSecond: 100_000 };
    writeFileSync(plansPath, planFile({ farkle: [{ name: "free", ...terms }] }));
    const homeUrl = await home.createDatabase();
    await migrateStore(databaseOptions(homeUrl));
    const store = await openStore({ ...databaseOptions(homeUrl), role: "command" });
    onTestFinished(() => store.close());
    const { id: accountId } = await createAccount({ store, randomness }, { name: "acme", email: null });
    const subscription = { id: randomness.uuid(), accountId, service: "farkle", plan: "free", state: "active" } as const;
    await store.createSubscription(subscription);
    const wish = { accountId, name: "key", services: null, expiresAtMs: null };
    const { secret } = await createKey({ store, clock, randomness }, wish);

    const offsetMs = Date.UTC(2026, 10, 15, 12) - clock.nowMs();
    let started = 0;
    const start = ({ name, variables }: Pick<Region, "name" | "variables">): Promise<NodeProcess> =>
      NodeProcess.start({ name: `${name} ${++started}`, workers: 1 + (started % 2), offsetMs, variables });
    const regions: Region[] = [];
    onTestFinished(async () => {
      await Promise.all(regions.flatMap(({ nodes }) => nodes.map((node) => node?.kill())));
    });
    // One region after another: starting a server takes a second of CPU time.
    for (const [index, { name, toHomeMs }] of REGIONS.entries()) {
      const url = await (regional[index] as PostgresServer).createDatabase();
      await migrateRegion({ name, url, connectionsMax: 2 }, clock);
      const proxy = await startDelayingProxy(Number(new URL(homeUrl).port), toHomeMs);
      onTestFinished(() => proxy.close());
      const distant = new URL(homeUrl);
      distant.port = String(proxy.port);
      const variables = {
        QUINTET_DATABASE_URL: distant.href,
        QUINTET_REGION: name,
        QUINTET_REGION_DATABASE_URL: url,
        QUINTET_PLANS: plansPath,
      };
      const nodes = await Promise.all([start({ name, variables }), start({ name, variables })]);
      regions.push({ name, proxy, variables, url, nodes });
    }
    const [east, west, ...others] = regions as [Region, Region, ...Region[]];
    const random = seeded(2026);
    const all: Calls = { outcomes: {}, tookMs: [] };

    const alive = ({ nodes }: Region): NodeProcess[] => nodes.filter((node) => node !== undefined);
    const callOnce = async (node: NodeProcess, seen: readonly Calls[]): Promise<string> => {
      const fromMs = clock.monotonicMs();
      const outcome = (await node.client.call(pick(random, PROTOCOLS), good, secret))?.outcome ?? "no connection";
      for (const { outcomes, tookMs } of seen) {
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        if (outcome === "OK") {
          tookMs.push(clock.monotonicMs() - fromMs);
        }
      }
      return outcome;
    };
    /** Calls a region's nodes until told to stop. */
    const callThroughout = async (region: Region, until: { isOver: boolean }, ...seen: Calls[]): Promise<void> => {
      const caller = async (): Promise<void> => {
        while (!until.isOver) {
          await callOnce(pick(random, alive(region)), [all, ...seen]);
          await passed(PAUSE_MS);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
    };
    const kill = async (region: Region, index: number): Promise<void> => {
      const killed = region.nodes[index];
      region.nodes[index] = undefined;
      await killed?.kill();
      region.nodes[index] = await start(region);
    };

    const faults = { isOver: false };
    const calling = regions.map((region) => callThroughout(region, faults));
    await passed(1500);
    // East is cut off, while a server of each other region is killed. Then the west's database crashes, and a server of the east is killed.
    const cut = { isOver: false };
    const whileCut: Calls = { outcomes: {}, tookMs: [] };
    east.proxy.cut();
    const callingCut = callThroughout(east, cut, whileCut);
    const killing = Promise.all([west, ...others].map((region) => kill(region, 0)));
    await passed(CUT_MS);
    cut.isOver = true;
    await callingCut;
    east.proxy.restore();
    await killing;
    const crash = async (database: PostgresServer): Promise<void> => {
      await database.stop();
      await passed(DOWN_MS);
      await database.start();
    };
    await Promise.all([crash(regional[1] as PostgresServer), kill(east, 1)]);
    faults.isOver = true;
    await Promise.all(calling);

    // Everything works again, and the rest of the month is used up.
    const useUp = async (node: NodeProcess): Promise<void> => {
      const caller = async (): Promise<void> => {
        while ((await callOnce(node, [all])) !== "QUOTA_EXCEEDED") {}
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
    };
    await Promise.all(regions.flatMap((region) => alive(region).map(useUp)));
    for (const node of regions.flatMap(alive)) {
      node.client.cut();
      await node.stop();
    }

    const [leased] = await store.leasedCalls([subscription.id], "2026-11");
    const granted = await inDatabase(homeUrl, (client) =>
      client.query("select sum(granted - returned)::int as held from region_leases"),
    );
    const held = await Promise.all(
      regions.map(({ url }) =>
        inDatabase(url, (client) => client.query("select granted::int, returned::int, leased::int from region_quotas")),
      ),
    );
    const { OK: admitted = 0, lost = 0 } = all.outcomes;
    const { OK: served = 0, ...notServed } = whileCut.outcomes;
    const fast = all.tookMs.filter((ms) => ms < FAST_MS).length;
    process.stdout.write(
      `${JSON.stringify(all.outcomes)}; leased at home ${leased?.leased}, in regions ${JSON.stringify(held.flatMap(({ rows }) => rows))}; ` +
        `while cut off ${JSON.stringify(whileCut.outcomes)}; ${((100 * fast) / admitted).toFixed(2)}% took less than ${FAST_MS} ms\n`,
    );
    expect(admitted).toBeLessThanOrEqual(CALLS_PER_MONTH);
    expect(leased?.leased).toBe(CALLS_PER_MONTH);
    // All that is leased at home was granted to regions.
    expect(granted.rows).toEqual([{ held: leased?.leased }]);
    // The killed nodes, one in each region, held at most a lease each. The database that crashed lost the response to at most one lease of
    // each of its two nodes.
    expect(CALLS_PER_MONTH - admitted).toBeLessThanOrEqual((regions.length + 2) * leaseMax(terms) + lost);
    // On a busy machine even the region's own database may respond too late.
    const refused = Object.values(notServed).reduce((sum, calls) => sum + calls, 0);
    expect(served).toBeGreaterThan(20);
    expect(refused / (served + refused)).toBeLessThan(0.1);
  });
});

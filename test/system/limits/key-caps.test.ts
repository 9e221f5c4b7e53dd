// A key with a cap is called 100,000 times at three nodes, in all protocols, while nodes are killed: it admits no call too many, and no
// more of the cap is lost than what the killed nodes held. Another key of the account keeps working meanwhile.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount } from "../../../src/account/accounts.ts";
import { createKey } from "../../../src/account/keys.ts";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import { leaseMax } from "../../../src/guard/quota/lease-size.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { systemRandomness as randomness } from "../../../src/runtime/randomness.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { openStore } from "../../../src/store/open.ts";
import { planFile } from "../../fixtures/plan-file.ts";
import { postgres } from "../../fixtures/servers/postgres.ts";
import { redis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { good } from "./call-inputs.ts";
import { pick } from "./callers.ts";
import { PROTOCOLS } from "./history.ts";
import { NodeProcess } from "./node-process.ts";
import { databaseOptions, type Stores, startStores } from "./stores.ts";

const CALLS = 100_000;
const CAP = 30_000;
const CALLERS = 48;
const KILLS = 5;
// One call in so many is made with the other key.
const OTHER_EVERY = 50;

describeWith("missing" in postgres ? postgres : redis, "A key with a cap", () => {
  let stores: Stores;
  beforeAll(async () => {
    stores = await startStores();
  });
  afterAll(() => stores.close());

  test("never exceeds its cap in 100,000 calls at three nodes that are killed, and affects no other key", async () => {
    const directory = makeTemporaryDirectory();
    const plansPath = join(directory.path, "plans.json");
    writeFileSync(plansPath, planFile({ farkle: [{ name: "free", callsPerMonth: 10_000_000, requestsPerSecond: 100_000 }] }));
    const url = await stores.postgres.createDatabase(stores.template);
    const variables = { QUINTET_DATABASE_URL: url, QUINTET_REDIS_URL: stores.redis.url, QUINTET_PLANS: plansPath };
    const store = await openStore({ ...databaseOptions(url), role: "command" });
    await store.applyPlans(loadPlans(plansPath).all);
    const { id: accountId } = await createAccount({ store, randomness }, { name: "acme", email: null });
    await store.createSubscription({ id: randomness.uuid(), accountId, service: "farkle", plan: "free", state: "active" });
    const deps = { store, clock: systemClock, randomness };
    const wish = { accountId, name: "key", services: null, expiresAtMs: null };
    const capped = await createKey(deps, { ...wish, callsPerMonth: CAP });
    const other = await createKey(deps, wish);

    const offsetMs = Date.UTC(2026, 10, 15, 12) - systemClock.nowMs();
    let started = 0;
    const start = () => NodeProcess.start({ name: `node ${++started}`, workers: 1 + (started % 2), offsetMs, variables });
    const nodes: (NodeProcess | undefined)[] = await Promise.all([start(), start(), start()]);
    const random = seeded(2026);
    const outcomes: Record<string, number> = {};
    const others: Record<string, number> = {};
    const count = (counts: Record<string, number>, outcome = "no connection") => {
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    };
    let kills = 0;
    const kill = async (): Promise<void> => {
      const index = kills++ % nodes.length;
      const killed = nodes[index];
      nodes[index] = undefined;
      await killed?.kill();
      nodes[index] = await start();
    };
    let created = 0;
    const killing: Promise<void>[] = [];
    const alive = () => nodes.filter((node) => node !== undefined);
    const caller = async (): Promise<void> => {
      while (created < CALLS) {
        created++;
        // While the cap is being used up.
        if (kills < KILLS && alive().length === nodes.length && created >= ((kills + 1) * CAP) / (KILLS + 1)) {
          killing.push(kill());
        }
        const isOther = created % OTHER_EVERY === 0;
        const { secret } = isOther ? other : capped;
        const result = await pick(random, alive()).client.call(pick(random, PROTOCOLS), good, secret);
        count(isOther ? others : outcomes, result?.outcome);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    await Promise.all(killing);
    for (const node of alive()) {
      node.client.cut();
      await node.stop();
    }
    const [leased] = await store.leasedCapCalls([capped.key], "2026-11");
    await store.close();
    await stores.postgres.dropDatabase(url);
    directory.remove();
    process.stdout.write(`capped: ${JSON.stringify(outcomes)}, other: ${JSON.stringify(others)}, leased ${leased?.leased}\n`);
    const { OK: admitted = 0, lost = 0, KEY_QUOTA_EXCEEDED: refused = 0, QUOTA_EXCEEDED: ofPlan = 0 } = outcomes;
    expect(admitted).toBeLessThanOrEqual(CAP);
    expect(leased?.leased).toBeLessThanOrEqual(CAP);
    expect(admitted).toBeLessThanOrEqual(leased?.leased ?? 0);
    // Each killed node held at most a lease, and a lost response may have been a charged call.
    const held = leaseMax({ callsPerMonth: CAP, requestsPerSecond: Number.POSITIVE_INFINITY });
    expect(CAP - admitted).toBeLessThanOrEqual(KILLS * held + lost);
    expect([refused > CALLS / 3, ofPlan]).toEqual([true, 0]);
    // On a busy machine a store may respond late, and a call to a killed node gets no response. Nothing else happens to the other key.
    const { OK: _, lost: __, "no connection": ___, LIMITS_UNAVAILABLE: ____, ...refusedOthers } = others;
    expect([refusedOthers, (others.OK ?? 0) > 0]).toEqual([{}, true]);
  });
});

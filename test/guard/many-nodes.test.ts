// Several nodes on one PostgreSQL and one Redis: what they guarantee together, and how they behave when either fails.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Plan } from "../../src/catalogue/plan.ts";
import type { Admitted, Refused } from "../../src/guard/guard.ts";
import { guardLimitsOf } from "../../src/guard/guard-limits.ts";
import { generateKey } from "../../src/guard/keys/key.ts";
import { leaseMax } from "../../src/guard/quota/lease-size.ts";
import { dayAt } from "../../src/runtime/calendar.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { migrateStore, openStore, type StoreOptions } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { type ClosableGuard, createGuard } from "../fixtures/one-thread-guard.ts";
import { offerBuiltInPlans } from "../fixtures/plan-file.ts";
import { type PostgresServer, postgres, startPostgres } from "../fixtures/servers/postgres.ts";
import { type RedisServer, redis, startRedis } from "../fixtures/servers/redis.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";
import { startWorkingClock } from "../fixtures/working-clock.ts";
import { makeOffset, steppedClock } from "../system/limits/stepped-clock.ts";
import { openRedisNode } from "./rate/redis-node.ts";
import { ADDRESS, createMemoryLog, METHOD, plansOf, problemOf, radioPlan, settled } from "./scene.ts";

// Mid-month, so that no month ends during the test.
const clock = steppedClock(makeOffset(Date.UTC(2026, 10, 15) - systemClock.nowMs()));
const key = generateKey(systemRandomness);
const quota = 3000;
const free = radioPlan("free", quota, 100_000);
const eventually = <Value>(value: () => Value | Promise<Value>) => expect.poll(value);

interface GuardNode {
  readonly guard: ClosableGuard;
  readonly store: Store;
  readonly log: ReturnType<typeof createMemoryLog>;
  admit(secret?: string): Promise<Admitted | Refused>;
}

const optionsOf = (url: string): Omit<StoreOptions, "role"> => ({
  dataDir: "/nonexistent",
  database: { url, connectionsMax: 5, staleAfterMs: 10_000 },
  clock,
});

async function openCommand(url: string): Promise<Store> {
  const store = await openStore({ ...optionsOf(url), role: "command" });
  onTestFinished(() => store.close());
  return store;
}

/** Adds an account with a key and a radio subscription to a database. */
async function withAccount(url: string): Promise<string> {
  await migrateStore(optionsOf(url));
  const store = await openStore({ ...optionsOf(url), role: "command" });
  await offerBuiltInPlans(store);
  await store.createAccount({ id: "acme", name: "Acme", email: null });
  await store.createKey({
    id: "key-1",
    accountId: "acme",
    name: "key-1",
    services: null,
    expiresAtMs: null,
    lifetimeMs: null,
    ...shown(key),
  });
  await store.createSubscription({ id: "sub-1", accountId: "acme", service: "radio", plan: "free", state: "active" });
  await store.close();
  return url;
}

const shown = ({ hash, prefix, lastFour }: typeof key) => ({ hash, prefix, lastFour });

async function startNode(url: string, options: { plans?: readonly Plan[]; redisUrl?: string } = {}): Promise<GuardNode> {
  const log = createMemoryLog();
  const store = await openStore({ ...optionsOf(url), log, role: "server" });
  onTestFinished(() => store.close());
  const { redisUrl } = options;
  const rate = redisUrl === undefined ? undefined : await openRedisNode(redisUrl);
  onTestFinished(() => rate?.connection.close());
  const plans = plansOf(options.plans ?? [free, radioPlan("pro", 2 * quota, 100_000)]);
  const limits = {
    ...guardLimitsOf({ database: {}, workers: 1 }),
    waitersMax: 10_000,
  };
  const guard = createGuard({ store, plans, clock, log, limits, shareRate: rate?.share });
  onTestFinished(() => guard.close());
  return {
    guard,
    store,
    log,
    admit: async (secret = key.secret) => guard.admit({ key: secret, address: ADDRESS, service: "radio", method: METHOD }),
  };
}

/** This many parallel callers call until the quota is used up. Returns how many calls were admitted. */
async function useUp(node: GuardNode, callers: number): Promise<number> {
  let admitted = 0;
  const caller = async (): Promise<void> => {
    for (;;) {
      const decision = await node.admit();
      if (decision.admitted) {
        decision.settle("OK");
        admitted++;
      } else if (decision.problem.reason === "QUOTA_EXCEEDED") {
        return;
      } else {
        // On a busy machine, the database seems silent now and then.
        await settled();
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return admitted;
}

const reasonOf = async (node: GuardNode): Promise<string> => {
  const decision = await node.admit();
  return decision.admitted ? (decision.limits?.plan.name ?? "") : decision.problem.reason;
};

/** Uses up the lease. Returns the first refusal, and the longest duration of a call in milliseconds. */
async function spendLease(node: GuardNode): Promise<{ refusal: Refused; admitted: number; longestMs: number }> {
  const workingClock = startWorkingClock();
  let longestMs = 0;
  for (let admitted = 0; ; admitted++) {
    const queriedAtMs = workingClock.monotonicMs();
    const decision = await node.admit();
    longestMs = Math.max(longestMs, workingClock.monotonicMs() - queriedAtMs);
    if (!decision.admitted) {
      return { refusal: decision, admitted, longestMs };
    }
  }
}

describeWith(postgres, "Nodes on one PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());
  const database = async (): Promise<string> => withAccount(await server.createDatabase());

  test("leasing at once never admit more than the quota, and lose none of it", async () => {
    const url = await database();
    const nodes = [await startNode(url), await startNode(url)];
    await Promise.all(nodes.map(reasonOf));
    const counts = await Promise.all(nodes.map((node) => useUp(node, 20)));
    const admitted = 2 + counts.reduce((sum, count) => sum + count, 0);
    expect(admitted).toBeLessThanOrEqual(quota);
    await Promise.all(nodes.map(({ guard }) => guard.close()));
    const store = await openCommand(url);
    const [standing] = await store.leasedCalls(["sub-1"], dayAt(clock.nowMs()).month);
    // The admitted calls, and no unspent leases.
    expect(standing?.leased).toBe(admitted);
    expect(admitted).toBeGreaterThanOrEqual(quota - 2 * leaseMax(free));
  });

  test("soon notice what an operator did on any of them", async () => {
    const url = await database();
    const nodes = [await startNode(url), await startNode(url)];
    const command = await openCommand(url);
    const reasons = (): Promise<string[]> => Promise.all(nodes.map(reasonOf));
    expect(await reasons()).toEqual(["free", "free"]);
    await command.activate("sub-1", "pro");
    await eventually(reasons).toEqual(["pro", "pro"]);
    await command.updateKey("key-1", { disabled: true });
    await eventually(reasons).toEqual(["KEY_REVOKED", "KEY_REVOKED"]);
    await command.updateKey("key-1", { disabled: false });
    await eventually(reasons).toEqual(["pro", "pro"]);
    await nodes[0]?.store.setSuspended("acme", true);
    await eventually(reasons).toEqual(["SUBSCRIPTION_REQUIRED", "SUBSCRIPTION_REQUIRED"]);
    await command.setSuspended("acme", false);
    await command.revokeKey("key-1");
    await eventually(reasons).toEqual(["KEY_REVOKED", "KEY_REVOKED"]);
  });

  describe("when PostgreSQL fails", () => {
    const unavailable = {
      reason: "LIMITS_UNAVAILABLE",
      message: "The limits of this API key cannot be checked at the moment; retry in 1 s.",
      retryAfterMs: 1000,
      metadata: { service: "radio", plan: "free" },
    };

    test.each(["silent", "dead"] as const)(
      "(%s) leases are spent, then calls are refused at once, and nodes recover by themselves",
      async (fault) => {
        const node = await startNode(await database());
        expect(await reasonOf(node)).toBe("free");
        await (fault === "silent" ? server.pause() : server.stop());
        try {
          const { refusal, admitted, longestMs } = await spendLease(node);
          expect(refusal.problem).toEqual(unavailable);
          expect(admitted).toBeGreaterThan(0);
          // A quarter of a second, plus what a busy machine adds. A caller with a lease does not wait at all.
          expect(longestMs).toBeLessThan(400);
          const unknownKey = generateKey(systemRandomness).secret;
          expect(problemOf(await node.admit(unknownKey)).reason).toBe("LIMITS_UNAVAILABLE");
        } finally {
          // In any case, because the other tests need the server.
          await (fault === "silent" ? server.resume() : server.start());
        }
        await eventually(() => reasonOf(node)).toBe("free");
      },
    );

    test("a change made during the outage is known after it", async () => {
      const url = await database();
      const node = await startNode(url);
      expect(await reasonOf(node)).toBe("free");
      await server.stop();
      await server.start();
      const command = await openCommand(url);
      await command.revokeKey("key-1");
      await eventually(() => reasonOf(node)).toBe("KEY_REVOKED");
    });
  });

  describeWith(redis, "and one Redis", () => {
    let shared: RedisServer;
    beforeEach(async () => {
      shared = await startRedis();
    });
    afterEach(() => shared.close());

    const admitted = (decisions: readonly (Admitted | Refused)[]): number => decisions.filter((one) => one.admitted).length;
    const burst = (node: GuardNode, calls: number): Promise<(Admitted | Refused)[]> =>
      Promise.all(Array.from({ length: calls }, () => node.admit()));

    test("admit the plan's rate in total", async () => {
      const url = await database();
      const plans = [radioPlan("free", quota, 4)];
      const nodes = [await startNode(url, { plans, redisUrl: shared.url }), await startNode(url, { plans, redisUrl: shared.url })];
      const together = async (): Promise<number> => admitted((await Promise.all(nodes.map((node) => burst(node, 20)))).flat());
      // If the first call of a node has to wait for the database, a token or two arrive in the meantime.
      await Promise.all(nodes.map(reasonOf));
      const startedAtMs = systemClock.monotonicMs();
      let count = 0;
      for (let round = 0; round < 20; round++) {
        count += await together();
      }
      const allowed = 4 + (4 * (systemClock.monotonicMs() - startedAtMs)) / 1000;
      expect(count).toBeLessThanOrEqual(allowed);
      expect(count).toBeGreaterThan(0);
    });

    test("a call that the quota refuses takes no token of the rate", async () => {
      const url = await database();
      const node = await startNode(url, { plans: [radioPlan("free", 1, 2)], redisUrl: shared.url });
      const reasons: string[] = [];
      for (let call = 0; call < 6; call++) {
        reasons.push(await reasonOf(node));
      }
      expect(reasons).toEqual(["free", ...Array.from({ length: 5 }, () => "QUOTA_EXCEEDED")]);
    });
  });
});

// What servers do when a standby takes over. They find the new primary behind the old address, though the old primary still answers there
// for a while. A standby that takes over without the last changes reuses their numbers for other changes: a server that applied the lost
// ones must notice, however far the new numbers have advanced before it reconnects.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { generateKey } from "../../../src/guard/keys/key.ts";
import { dayAt } from "../../../src/runtime/calendar.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import { createPool, TIMEOUTS } from "../../../src/store/postgres/postgres-pool.ts";
import type { Store } from "../../../src/store/store.ts";
import { createGuard } from "../../fixtures/one-thread-guard.ts";
import { offerBuiltInPlans } from "../../fixtures/plan-file.ts";
import { type PostgresServer, type PostgresStandby, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { ADDRESS, createMemoryLog, METHOD, plansOf, radioPlan } from "../../guard/scene.ts";

/** An address whose database can be switched. */
interface Address {
  readonly port: number;
  /**
   * Sets the target of new connections. Existing ones are broken, or kept, as a Service of Kubernetes and a floating IP keep them. Without a
   * port, connections are refused.
   */
  pointTo(port: number | undefined, existing?: "break" | "keep"): void;
}

async function startAddress(): Promise<Address> {
  const sockets = new Set<Socket>();
  let target: number | undefined;
  const server = createServer((client) => {
    if (target === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const pointTo = (port: number | undefined, existing = "break"): void => {
    target = port;
    for (const socket of existing === "keep" ? [] : sockets) {
      socket.destroy();
    }
  };
  onTestFinished(() => {
    pointTo(undefined);
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, pointTo };
}

describeWith(postgres, "After an asynchronous failover that lost changes", () => {
  let primary: PostgresServer;
  let standby: PostgresStandby;
  beforeAll(async () => {
    primary = await startPostgres();
  });
  afterAll(async () => {
    await standby.close();
    await primary.close();
  });

  // Three changes were lost, so the last number that the server applied is below, at or above those of the new primary.
  const cases: readonly (readonly [before: number, after: number])[] = [
    [0, 0],
    [2, 0],
    [0, 5],
    [4, 1],
  ];
  test.each(cases)(
    "a suspension is enforced once it is confirmed, with %i other changes before and %i after it",
    async (before, after) => {
      const url = await primary.createDatabase();
      const log = createMemoryLog();
      const open = async (role: "server" | "command", at: string): Promise<Store> => {
        const database = { url: at, connectionsMax: 2, staleAfterMs: 10_000 };
        const store = await openStore({ dataDir: "/nonexistent", database, clock: systemClock, log, role });
        onTestFinished(() => store.close());
        return store;
      };
      await migrateStore({
        dataDir: "/nonexistent",
        database: { url, connectionsMax: 2, staleAfterMs: 10_000 },
        clock: systemClock,
      });
      const key = generateKey(systemRandomness);
      const operator = await open("command", url);
      await offerBuiltInPlans(operator);
      for (const id of ["acme", "other"]) {
        await operator.createAccount({ id, name: id, email: null });
      }
      await operator.createKey({
        id: "key-1",
        accountId: "acme",
        name: "first",
        hash: key.hash,
        prefix: "qk_live_",
        lastFour: key.lastFour,
        services: null,
        expiresAtMs: null,
        lifetimeMs: null,
      });
      await operator.createSubscription({ id: "s-1", accountId: "acme", service: "radio", plan: "free", state: "active" });
      await standby?.close();
      standby = await primary.startStandby();

      const address = await startAddress();
      address.pointTo(Number(new URL(url).port));
      const addressed = new URL(url);
      addressed.port = String(address.port);
      const server = await open("server", addressed.href);
      const plans = plansOf([radioPlan("free", 1000)]);
      const guard = createGuard({ store: server, plans, clock: systemClock, log });
      onTestFinished(() => guard.close(1000));
      const call = async (): Promise<string> => {
        const decision = await guard.admit({ key: key.secret, address: ADDRESS, service: "radio", method: METHOD });
        return decision.admitted ? "admitted" : decision.problem.reason;
      };
      await standby.cutOff();
      for (const isOperator of [true, false, true]) {
        await operator.setOperator("other", isOperator);
      }
      expect(await operator.acknowledged()).toEqual({ isComplete: true, missing: [] });
      expect(await call()).toBe("admitted");

      address.pointTo(undefined);
      await standby.promote();
      const taken = new URL(url);
      taken.port = String(standby.port);
      const operatorAfter = await open("command", taken.href);
      const changeOther = async (times: number): Promise<void> => {
        for (let count = 0; count < times; count++) {
          await operatorAfter.setOperator("other", count % 2 === 0);
        }
      };
      await changeOther(before);
      await operatorAfter.setSuspended("acme", true);
      await changeOther(after);
      address.pointTo(standby.port);
      await expect.poll(() => log.lines).toContain("Changes to accounts and keys are received again");
      expect(await operatorAfter.acknowledged()).toEqual({ isComplete: true, missing: [] });
      // The connections for lookups broke too: until there are new ones, no call is admitted.
      const responses: string[] = [];
      await expect.poll(async () => responses.push(await call()) && responses.at(-1)).not.toBe("LIMITS_UNAVAILABLE");
      expect(responses.at(-1)).toBe("SUBSCRIPTION_REQUIRED");
      // Later changes are applied too, and none is lost.
      await operatorAfter.setSuspended("acme", false);
      expect(await operatorAfter.acknowledged()).toEqual({ isComplete: true, missing: [] });
      expect(await call()).toBe("admitted");
      // The server that applied the lost changes also gets its own next change confirmed.
      await server.setSuspended("acme", true);
      expect(await server.acknowledged()).toEqual({ isComplete: true, missing: [] });
      expect(await call()).toBe("SUBSCRIPTION_REQUIRED");
    },
  );
});

describeWith(postgres, "After a switchover behind one address", () => {
  test("a server leaves the old primary, says until then that it is not ready, and grants no call twice", async () => {
    const primary = await startPostgres();
    onTestFinished(() => primary.close());
    const url = await primary.createDatabase();
    const at = (port: number) => Object.assign(new URL(url), { port: String(port) }).href;
    const optionsAt = (port: number) => ({
      dataDir: "/nonexistent",
      database: { url: at(port), connectionsMax: 5, staleAfterMs: 1500 },
      clock: systemClock,
      log: createMemoryLog(),
    });
    const open = async (role: "server" | "command", port: number): Promise<Store> => {
      const store = await openStore({ ...optionsAt(port), role });
      onTestFinished(() => store.close());
      return store;
    };
    const oldPort = Number(new URL(url).port);
    await migrateStore(optionsAt(oldPort));
    const key = generateKey(systemRandomness);
    const operator = await open("command", oldPort);
    await operator.createAccount({ id: "acme", name: "acme", email: null });
    await operator.createKey({
      id: "key-1",
      accountId: "acme",
      name: "first",
      hash: key.hash,
      prefix: "qk_live_",
      lastFour: key.lastFour,
      services: null,
      expiresAtMs: null,
      lifetimeMs: null,
    });
    await offerBuiltInPlans(operator);
    await operator.createSubscription({ id: "s-1", accountId: "acme", service: "radio", plan: "free", state: "active" });
    const standby = await primary.startStandby();
    onTestFinished(() => standby.close());
    const address = await startAddress();
    address.pointTo(oldPort);
    const server = await open("server", address.port);
    const guard = createGuard({
      store: server,
      plans: plansOf([radioPlan("free", 500)]),
      clock: systemClock,
      log: createMemoryLog(),
    });
    onTestFinished(() => guard.close(1000));
    const counts: Record<string, number> = {};
    const call = async (): Promise<string> => {
      const decision = await guard.admit({ key: key.secret, address: ADDRESS, service: "radio", method: METHOD });
      const result = decision.admitted ? "admitted" : decision.problem.reason;
      counts[result] = (counts[result] ?? 0) + 1;
      return result;
    };
    const isReady = () => server.nodeStatus.isReady(systemClock.monotonicMs());
    expect([await call(), isReady()]).toEqual(["admitted", true]);

    await primary.switchOver(standby);
    // The server reaches the old primary again, which answers lookups and grants nothing.
    await expect.poll(call).toBe("LIMITS_UNAVAILABLE");
    await expect.poll(isReady).toBe(false);
    address.pointTo(standby.port, "keep");
    await expect.poll(isReady).toBe(true);
    await expect.poll(call).toBe("admitted");
    await expect.poll(call).toBe("QUOTA_EXCEEDED");
    expect(counts.admitted).toBeLessThanOrEqual(500);
    const [leased] = await (await open("command", standby.port)).leasedCalls(["s-1"], dayAt(systemClock.nowMs()).month);
    expect(leased?.leased).toBe(500);
  });
});

describeWith(postgres, "A connection of the pool", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  const openPool = async (ageMs: number) => {
    const database = { url: await server.createDatabase(), connectionsMax: 1 };
    const pool = createPool({ database, timeouts: { ...TIMEOUTS.server, ageMs }, clock: systemClock, onLost: () => {} });
    onTestFinished(() => pool.end());
    /** The results of these statements, or their SQLSTATE, and then the process that ran them. */
    return async (...statements: string[]): Promise<readonly unknown[]> => {
      const connection = await pool.connect();
      const results: unknown[] = [];
      const query = async (text: string): Promise<unknown> => {
        const { rows } = (await connection.query(text, [])) as { rows: Record<string, unknown>[] };
        return Object.values(rows[0] ?? {})[0];
      };
      try {
        results.push(await query("select pg_backend_pid()"));
        for (const statement of statements) {
          results.push(await query(statement).catch((error) => error.code));
        }
        return results;
      } finally {
        connection.release();
      }
    };
  };

  test.each([
    ["says that it can only read", "25006", ["begin read only", "create table t (n int)"], true],
    ["was ended by the server", "57P01", ["select pg_terminate_backend(pg_backend_pid())"], true],
    ["says that a statement is wrong", "42P01", ["select * from nothing"], false],
  ] as const)("that %s (%s) is left if it leads to the wrong server", async (_, code, statements, isLeft) => {
    const run = await openPool(TIMEOUTS.server.ageMs);
    const [pid, ...results] = await run(...statements);
    expect(results.at(-1)).toBe(code);
    const [next] = await run();
    expect(next !== pid).toBe(isLeft);
  });

  test("is left when it is old", async () => {
    const run = await openPool(50);
    const [pid] = await run();
    await expect.poll(async () => (await run())[0] !== pid).toBe(true);
  });
});

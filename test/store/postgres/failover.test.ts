// A standby that takes over without the last changes reuses their numbers for other changes. A server that applied the lost ones must
// notice, however far the new numbers have advanced before it reconnects.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { generateKey } from "../../../src/guard/keys/key.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { createGuard } from "../../fixtures/one-thread-guard.ts";
import { type PostgresServer, type PostgresStandby, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { ADDRESS, createMemoryLog, METHOD, plansOf, radioPlan } from "../../guard/scene.ts";

/** An address whose database can be switched. */
interface Address {
  readonly port: number;
  /** Sets the target of new connections and breaks existing ones. Without a port, connections are refused. */
  pointTo(port: number | undefined): void;
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
  const pointTo = (port: number | undefined): void => {
    target = port;
    for (const socket of sockets) {
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

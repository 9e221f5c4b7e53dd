// The response to a change names the servers that have not confirmed it, over REST and RPC, and says nothing if all have.
import type { DescMethodUnary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { migrateStore } from "../../../src/store/open.ts";
import { PROTOCOL } from "../../../src/store/repositories/change-log.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { sharedClock, sharedTime } from "../../workers/clock-of-threads.ts";
import { grpc, rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { METHODS, Person } from "./person.ts";

describeWith(postgres, "With two nodes on one PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test.each([rest, grpc])("and a third that is lost, the response to each change by $name names the lost one", async (client) => {
    const url = await server.createDatabase();
    const time = sharedTime();
    const clock = sharedClock(time);
    await migrateStore({ dataDir: "/nonexistent", database: { url, connectionsMax: 2, staleAfterMs: 10_000 }, clock });
    const start = async (): Promise<Gateway> => {
      const node = await startGateway({ plans: PLANS, clock, variables: { QUINTET_DATABASE_URL: url } });
      onTestFinished(() => node.close());
      return node;
    };
    const [{ origin }] = [await start(), await start()];
    const ada = new Person(
      { origin: () => origin, pass: (ms) => void Atomics.add(time, 0, ms), onceKnown: (call) => call() },
      client,
    );
    const session = await ada.begin("ada@example.com");
    const { key } = await ada.take<{ key: { id: string } }>(METHODS.createKey, { name: "first" }, session);
    await ada.take(METHODS.setSubscription, { service: "farkle", plan: "free" }, session);
    const ofKey = { key_id: key.id };
    const changes: readonly (readonly [DescMethodUnary, object, "key" | "subscription"])[] = [
      [METHODS.updateKey, { ...ofKey, name: "second" }, "key"],
      [METHODS.setSubscription, { service: "farkle", plan: "pro" }, "subscription"],
      [METHODS.cancelSubscription, { service: "farkle" }, "subscription"],
      [METHODS.revokeKey, ofKey, "key"],
    ];
    const unconfirmed = async (index: number): Promise<unknown> => {
      const [method, input, name] = changes[index] as (typeof changes)[number];
      const output = await ada.take<Record<string, { unconfirmed?: unknown }>>(method, { ...input }, session);
      return output[name]?.unconfirmed;
    };
    expect(await unconfirmed(0)).toBeUndefined();
    await inDatabase(url, (db) =>
      db.query(
        `INSERT INTO nodes VALUES ('lost', 0, extract(epoch from now()) * 1000 + 600000, ${PROTOCOL}), ('gone', 0, 0, ${PROTOCOL})`,
      ),
    );
    // Two at a time, because each waits two seconds.
    for (const pair of [
      [0, 1],
      [2, 3],
    ]) {
      expect(await Promise.all(pair.map(unconfirmed))).toEqual([{ nodes: ["lost"] }, { nodes: ["lost"] }]);
    }
  });
});

// The customer's life with two nodes on one PostgreSQL: changes on one take effect on the other.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { migrateStore } from "../../../src/store/open.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { sharedClock, sharedTime } from "../../workers/clock-of-threads.ts";
import type { Seen } from "../matrix/seen.ts";
import { grpc, rest } from "./clients.ts";
import { PLANS, runLife } from "./life.ts";
import { METHODS, Person, type Place } from "./person.ts";

// A hundredth of the plan.
const LEASE_CALLS = 10;

// The other node learns of a change almost immediately.
async function onceKnown(call: () => Promise<Seen>, code: string): Promise<Seen> {
  const seen: Seen[] = [];
  const nextCode = async (): Promise<string> => {
    seen.unshift(await call());
    return seen[0]?.code ?? "";
  };
  await expect.poll(nextCode).toBe(code);
  return seen[0] as Seen;
}

describeWith(postgres, "Two nodes on one PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  const time = sharedTime();
  const pass = (ms: number): void => void Atomics.add(time, 0, ms);
  const placeOfNode = (origin: () => string): Place => ({ origin, pass, onceKnown, heldElsewhereMax: LEASE_CALLS });
  const startNodes = async (): Promise<readonly [Gateway, Gateway]> => {
    const url = await server.createDatabase();
    const clock = sharedClock(time);
    await migrateStore({ dataDir: "/nonexistent", database: { url, connectionsMax: 2, staleAfterMs: 10_000 }, clock });
    const start = async (): Promise<Gateway> => {
      const node = await startGateway({ plans: PLANS, clock, variables: { QUINTET_DATABASE_URL: url } });
      onTestFinished(() => node.close());
      return node;
    };
    return [await start(), await start()];
  };

  test.each([rest, grpc])("a customer's whole life by $name, with the calls alternating between the nodes", async (client) => {
    const nodes = await startNodes();
    let calls = 0;
    const origin = (): string => nodes[calls++ % 2 === 0 ? 0 : 1].origin;
    await runLife(placeOfNode(origin), client);
  });

  test("a session that begins on one node is valid on the other, and so is everything done in it", async () => {
    const [here, there] = (await startNodes()).map(({ origin }): Place => placeOfNode(() => origin)) as [Place, Place];
    const [atHome, away] = [new Person(here, rest), new Person(there, grpc)];
    const session = await atHome.begin("ada@example.com");
    await away.take(METHODS.setSubscription, { service: "farkle", plan: "free" }, session);
    const { key, secret } = await atHome.take<{ key: { id: string }; secret: string }>(METHODS.createKey, {}, session);
    await away.play(secret);
    await atHome.play(secret);
    await expect.poll(() => atHome.countCalls(session)).toBe(6);
    expect(await away.countCalls(session)).toBe(6);
    await away.take(METHODS.revokeKey, { key_id: key.id }, session);
    const revoked = "This API key has been revoked. Use another one, or create a new one: POST /account/v1/keys.";
    await atHome.failToPlay(secret, { reason: "KEY_REVOKED", message: revoked });
    await atHome.take(METHODS.endSessions, { current: true }, session);
    const over = "The session is not known or has ended. Sign in again.";
    await away.fail(METHODS.listKeys, {}, { reason: "SESSION_INVALID", message: over }, session);
  });
});

// An open stream ends when its key or session does, even if that happens in another thread or on another node.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { sharedTime } from "../../workers/clock-of-threads.ts";
import { startWorkerPool } from "../../workers/worker-pool.ts";
import { rest } from "../account-services/clients.ts";
import { type Headers, METHODS, PASSWORD, Person } from "../account-services/person.ts";
import { type OpenStream, startNodes, startSource, watch, watchCalls } from "./open-streams.ts";

interface Customer {
  readonly session: Headers;
  readonly secret: string;
  /** Revokes the key by a call to one of the servers. */
  revoke(origin: string): Promise<unknown>;
  /** Signs out in the same way. */
  signOut(origin: string): Promise<unknown>;
  /** Deletes the account in the same way. */
  remove(origin: string): Promise<unknown>;
}

async function makeCustomer(origin: string): Promise<Customer> {
  const personAt = (place: string): Person => new Person({ origin: () => place, pass() {}, onceKnown: (call) => call() }, rest);
  const ada = personAt(origin);
  const session = await ada.begin("ada@example.com");
  await ada.take(METHODS.setSubscription, { service: "token-price", plan: "free" }, session);
  const { key, secret } = await ada.take<{ key: { id: string }; secret: string }>(METHODS.createKey, {}, session);
  return {
    session,
    secret,
    revoke: (place) => personAt(place).take(METHODS.revokeKey, { key_id: key.id }, session),
    signOut: (place) => personAt(place).take(METHODS.endSessions, { current: true }, session),
    remove: (place) => personAt(place).take(METHODS.deleteAccount, { password: PASSWORD }, session),
  };
}

test("streams on all threads end when a call to one of them revokes the key, and other customers' streams continue", async () => {
  const variables = { QUINTET_COINS_URL: await startSource() };
  const workerPool = await startWorkerPool(2, { variables });
  const ada = await makeCustomer(workerPool.origin);
  const other = await workerPool.makeCustomer({ "token-price": "free" });
  const staying = await watch(workerPool.origin, other.secret);
  const streams: OpenStream[] = [];
  // The operating system distributes connections over the threads.
  while (new Set(streams.map(({ thread }) => thread)).size < 2) {
    streams.push(await watch(workerPool.origin, ada.secret));
  }
  await ada.revoke(workerPool.origin);
  expect(new Set(await Promise.all(streams.map(({ ended }) => ended)))).toEqual(new Set(["KEY_REVOKED"]));
  await workerPool.store.revokeKey(other.key.id);
  expect(await staying.ended).toBe("KEY_REVOKED");
});

test("streams on all threads end when a call to one deletes the account, those of its keys and those of its sessions", async () => {
  const variables = { QUINTET_COINS_URL: await startSource() };
  const { origin } = await startWorkerPool(2, { variables });
  const ada = await makeCustomer(origin);
  const streams: OpenStream[] = [];
  while (new Set(streams.map(({ thread }) => thread)).size < 2) {
    streams.push(await watch(origin, ada.secret));
  }
  const calls = [await watchCalls(origin, ada.session), await watchCalls(origin, ada.session)];
  await ada.remove(origin);
  expect(new Set(await Promise.all(streams.map(({ ended }) => ended)))).toEqual(new Set(["KEY_INVALID"]));
  expect(new Set(await Promise.all(calls.map(({ ended }) => ended)))).toEqual(new Set(["SESSION_INVALID"]));
});

describeWith(postgres, "Two nodes on one PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  const time = sharedTime();
  const pass = (ms: number): void => void Atomics.add(time, 0, ms);

  test("streams on both end when the key is revoked on one of them", async () => {
    const [here, there] = await startNodes(server, time);
    const ada = await makeCustomer(here.origin);
    const streams = [await watch(here.origin, ada.secret, pass), await watch(there.origin, ada.secret, pass)];
    await ada.revoke(there.origin);
    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(["KEY_REVOKED", "KEY_REVOKED"]);
  });

  test("a command that revokes the key ends streams on both", async () => {
    const [here, there] = await startNodes(server, time);
    const { secret, key } = await here.makeCustomer({ "token-price": "free" });
    const streams = [await watch(here.origin, secret, pass), await watch(there.origin, secret, pass)];
    await here.store.setSuspended(key.accountId, true);
    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(["SUBSCRIPTION_REQUIRED", "SUBSCRIPTION_REQUIRED"]);
  });

  test("streams on both end when the account is deleted on one of them", async () => {
    const [here, there] = await startNodes(server, time);
    const ada = await makeCustomer(here.origin);
    const keys = [await watch(here.origin, ada.secret, pass), await watch(there.origin, ada.secret, pass)];
    const sessions = [await watchCalls(here.origin, ada.session), await watchCalls(there.origin, ada.session)];
    await ada.remove(there.origin);
    const ends = [...keys, ...sessions].map(({ ended }) => ended);
    expect(await Promise.all(ends)).toEqual(["KEY_INVALID", "KEY_INVALID", "SESSION_INVALID", "SESSION_INVALID"]);
  });

  test("ending a session on one of them ends its streams on both", async () => {
    const [here, there] = await startNodes(server, time);
    const ada = await makeCustomer(here.origin);
    const streams = [await watchCalls(here.origin, ada.session), await watchCalls(there.origin, ada.session)];
    await ada.signOut(there.origin);
    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(["SESSION_INVALID", "SESSION_INVALID"]);
  });
});

// The customer's life with several serving threads, while another thread manages the accounts.
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { startGateway } from "../../fixtures/gateway.ts";
import { sharedClock, sharedTime } from "../../workers/clock-of-threads.ts";
import type { WorkerData } from "../../workers/worker.ts";
import { callAll, reachAll, startWorkerPool } from "../../workers/worker-pool.ts";
import { CALL_WATCHERS, type WatchedCalls } from "../streams/call-watchers.ts";
import { grpc, rest } from "./clients.ts";
import { PLANS, runLife } from "./life.ts";
import { METHODS, Person, type Place } from "./person.ts";

const THREADS = 2;
const SCORE = "/farkle/v1/score?dice=1";

test.each([rest, grpc])("a customer's whole life over two threads, by $name", async (client) => {
  const time = sharedTime();
  const gateway = await startGateway({
    plans: PLANS,
    clock: sharedClock(time),
    variables: { QUINTET_WORKERS: String(THREADS) },
    startThread(data) {
      const workerData: WorkerData = { data, time };
      return new Worker(new URL("../../workers/worker.ts", import.meta.url), { workerData });
    },
  });
  onTestFinished(() => gateway.close());
  const pass = (ms: number): void => void Atomics.add(time, 0, ms);
  await runLife({ origin: () => gateway.origin, pass, onceKnown: (call) => call() }, client);
});

test("a customer's changes apply to the next call on every thread, and the calls of all threads are in their usage", async () => {
  const workerPool = await startWorkerPool(THREADS, { plans: PLANS });
  const place: Place = {
    origin: () => workerPool.origin,
    pass: (ms) => void Atomics.add(workerPool.time, 0, ms),
    onceKnown: (call) => call(),
  };
  const ada = new Person(place, rest);
  const session = await ada.begin("ada@example.com");
  await ada.take(METHODS.setSubscription, { service: "farkle", plan: "free" }, session);
  const { key, secret } = await ada.take<{ key: { id: string }; secret: string }>(METHODS.createKey, {}, session);
  const callers = await reachAll(workerPool, THREADS);
  const next = (): Promise<Record<string, number>> => callAll(callers, SCORE, secret, 5);
  const seen = [await next()];
  await ada.take(METHODS.updateKey, { key_id: key.id, disabled: true }, session);
  seen.push(await next());
  await ada.take(METHODS.updateKey, { key_id: key.id, disabled: false }, session);
  seen.push(await next());
  await ada.take(METHODS.cancelSubscription, { service: "farkle" }, session);
  seen.push(await next());
  await ada.take(METHODS.revokeKey, { key_id: key.id }, session);
  seen.push(await next());
  expect(seen).toEqual([{ OK: 10 }, { KEY_REVOKED: 10 }, { OK: 10 }, { SUBSCRIPTION_REQUIRED: 10 }, { KEY_REVOKED: 10 }]);
  await expect.poll(() => ada.countCalls(session)).toBe(20);
});

test.each(CALL_WATCHERS.slice(1, 4))("a watcher on one thread sees the calls of all threads, by $name", async (watcher) => {
  const workerPool = await startWorkerPool(THREADS, { plans: PLANS });
  const pass = (ms: number): void => void Atomics.add(workerPool.time, 0, ms);
  const ada = new Person({ origin: () => workerPool.origin, pass, onceKnown: (call) => call() }, rest);
  const session = await ada.begin("ada@example.com");
  await ada.take(METHODS.setSubscription, { service: "farkle", plan: "free" }, session);
  const { secret } = await ada.take<{ secret: string }>(METHODS.createKey, {}, session);
  const callers = await reachAll(workerPool, THREADS);
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  pass(1000);
  const messages = watcher.watch({ origin: workerPool.origin, headers: session, request: {}, signal: controller.signal });
  expect((await messages.next()).value).toEqual({ calls: [], left_out: 0, servers: 1 });
  expect(await callAll(callers, SCORE, secret, 3)).toEqual({ OK: 6 });
  const seen: WatchedCalls["calls"][number][] = [];
  while (seen.length < 6) {
    const next = messages.next();
    let isThere = false;
    const note = (): void => {
      isThere = true;
    };
    next.then(note, note);
    while (!isThere) {
      pass(10);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    seen.push(...(await next).value.calls);
  }
  // The ids of a thread's calls share a prefix.
  expect(new Set(seen.map(({ id }) => String(id).slice(0, 36))).size).toBe(THREADS);
  expect(seen.map(({ outcome }) => outcome)).toEqual(new Array(6).fill("OK"));
});

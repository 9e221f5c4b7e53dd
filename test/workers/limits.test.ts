// Several threads together admit exactly what one would: to the call in a month, to the token in a second.
import { expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { openStore } from "../../src/store/open.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { callAll, reachAll, startWorkerPool, type TestWorkerPool } from "./worker-pool.ts";

const THREADS = 3;
const SCORE = "/farkle/v1/score?dice=1";

const free = (callsPerMonth: number, requestsPerSecond = 100_000) => ({ name: "free", callsPerMonth, requestsPerSecond });

async function leased({ store }: TestWorkerPool, accountId: string): Promise<readonly number[]> {
  const subscriptions = await store.listSubscriptions(accountId);
  const standings = await store.leasedCalls(
    subscriptions.map(({ id }) => id),
    "2026-11",
  );
  return standings.map(({ leased }) => leased);
}

test(`${THREADS} threads together admit exactly the plan's calls, and each admits some`, async () => {
  const workerPool = await startWorkerPool(THREADS, { plans: { farkle: [free(500)] } });
  const { secret, key } = await workerPool.makeCustomer({ farkle: "free" });
  const callers = await reachAll(workerPool, THREADS);
  const perThread = await Promise.all(callers.map((caller) => callAll([caller], SCORE, secret, 90)));
  expect(perThread).toEqual(callers.map(() => ({ OK: 90 })));
  expect(await callAll(callers, SCORE, secret, 90)).toEqual({ OK: 500 - 3 * 90, QUOTA_EXCEEDED: 6 * 90 - 500 });
  expect(await leased(workerPool, key.accountId)).toEqual([500]);
});

test("a call without a response from its upstream is not counted, whichever thread served it", async () => {
  const workerPool = await startWorkerPool(THREADS, { plans: { radio: [free(12)] } });
  const { secret } = await workerPool.makeCustomer({ radio: "free" });
  const callers = await reachAll(workerPool, THREADS);
  expect(await callAll(callers, "/radio/v1/topvote?limit=5", secret, 4)).toEqual({ UPSTREAM_FAILED: 12 });
  expect(await callAll(callers, "/radio/v1/topvote?limit=5", secret, 4)).toEqual({ UPSTREAM_FAILED: 12 });
  expect(await callAll(callers, "/radio/v1/topvote?limit=0", secret, 6)).toEqual({ INVALID_ARGUMENT: 12, QUOTA_EXCEEDED: 6 });
});

test("all threads share one rate limit", async () => {
  const workerPool = await startWorkerPool(THREADS, { plans: { farkle: [free(1_000_000, 50)] } });
  const { secret } = await workerPool.makeCustomer({ farkle: "free" });
  const callers = await reachAll(workerPool, THREADS);
  expect(await callAll(callers, SCORE, secret, 50)).toEqual({ OK: 50, RATE_LIMITED: 100 });
  Atomics.add(workerPool.time, 0, 500);
  expect(await callAll(callers, SCORE, secret, 50)).toEqual({ OK: 25, RATE_LIMITED: 125 });
});

test("a stop returns the leased calls that no thread has spent", async () => {
  const dataDir = temporaryDirectory();
  const workerPool = await startWorkerPool(THREADS, { plans: { farkle: [free(10_000)] }, dataDir });
  const { secret, key } = await workerPool.makeCustomer({ farkle: "free" });
  const callers = await reachAll(workerPool, THREADS);
  expect(await callAll(callers, SCORE, secret, 7)).toEqual({ OK: 21 });
  await Promise.all(callers.map((caller) => caller.close()));
  await workerPool.close();
  const store = await openStore({ dataDir, clock: systemClock, role: "command" });
  expect(await leased({ ...workerPool, store }, key.accountId)).toEqual([21]);
  const days = { fromDay: "2026-11-21", toDay: "2026-11-21" };
  const page = { groupBy: ["key", "method", "outcome"], refunded: [], limit: 10, offset: 0, countsMax: 10_000 } as const;
  expect((await store.usageRows({ accountId: key.accountId, ...days, ...page })).rows).toEqual([
    { keyId: key.id, method: "quintet.farkle.v1.FarkleService/Score", outcome: "OK", calls: 21, counted: 21, failed: 0 },
  ]);
  await store.close();
  expect([...workerPool.workers.values()].map(({ threadId }) => threadId)).toEqual([-1, -1, -1]);
});

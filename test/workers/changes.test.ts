// A change by the command line applies to the next call on every thread.
import { expect, test } from "vitest";
import type { Caller } from "./worker-pool.ts";
import { callAll, reachAll, startWorkerPool } from "./worker-pool.ts";

const THREADS = 2;
const SCORE = "/farkle/v1/score?dice=1";

const plan = (name: string, callsPerMonth: number) => ({ name, callsPerMonth, requestsPerSecond: 100_000 });

// One call on each connection.
const next = async (callers: readonly Caller[], key: string): Promise<readonly string[]> =>
  (await Promise.all(callers.map((caller) => caller.call(SCORE, key)))).map(({ reason }) => reason);

test("a disabled key is refused, an enabled one is admitted, and a revoked one is refused permanently", async () => {
  const workerPool = await startWorkerPool(THREADS);
  const { secret, key } = await workerPool.makeCustomer({ farkle: "free" });
  const callers = await reachAll(workerPool, THREADS);
  const seen = [await next(callers, secret)];
  for (const isDisabled of [true, false, true, false]) {
    await workerPool.store.updateKey(key.id, { disabled: isDisabled });
    seen.push(await next(callers, secret));
  }
  await workerPool.store.revokeKey(key.id);
  seen.push(await next(callers, secret));
  const both = (reason: string): readonly string[] => [reason, reason];
  expect(seen).toEqual([both("OK"), both("KEY_REVOKED"), both("OK"), both("KEY_REVOKED"), both("OK"), both("KEY_REVOKED")]);
});

test("a new plan is active at once, and calls under the old one count against it", async () => {
  const plans = { farkle: [plan("free", 100), plan("more", 200), plan("less", 150)] };
  const workerPool = await startWorkerPool(THREADS, { plans });
  const { secret, key } = await workerPool.makeCustomer({ farkle: "free" });
  const callers = await reachAll(workerPool, THREADS);
  const [subscription] = await workerPool.store.listSubscriptions(key.accountId);
  const id = subscription?.id ?? "";
  expect(await callAll(callers, SCORE, secret, 55)).toEqual({ OK: 100, QUOTA_EXCEEDED: 10 });
  await workerPool.store.activate(id, "more");
  expect(await callAll(callers, SCORE, secret, 20)).toEqual({ OK: 40 });
  await workerPool.store.activate(id, "less");
  expect(await callAll(callers, SCORE, secret, 20)).toEqual({ OK: 10, QUOTA_EXCEEDED: 30 });
  await workerPool.store.activate(id, "more");
  expect(await callAll(callers, SCORE, secret, 40)).toEqual({ OK: 50, QUOTA_EXCEEDED: 30 });
});

test("plans that change under load never admit too many calls", async () => {
  const plans = { farkle: [plan("free", 2000), plan("less", 1500)] };
  const workerPool = await startWorkerPool(THREADS, { plans });
  const { secret, key } = await workerPool.makeCustomer({ farkle: "free" });
  const callers = await reachAll(workerPool, THREADS);
  const [subscription] = await workerPool.store.listSubscriptions(key.accountId);
  let admitted = 0;
  let isOver = false;
  const hammer = async (caller: Caller): Promise<void> => {
    while (!isOver) {
      const { reason } = await caller.call(SCORE, secret);
      admitted += reason === "OK" ? 1 : 0;
    }
  };
  const load = callers.flatMap((caller) => [hammer(caller), hammer(caller), hammer(caller)]);
  for (const [index, name] of ["less", "free", "less", "free", "less", "free"].entries()) {
    while (admitted < 200 * index) {
      await new Promise(setImmediate);
    }
    await workerPool.store.activate(subscription?.id ?? "", name);
  }
  isOver = true;
  await Promise.all(load);
  // The remaining calls can all be used.
  const { OK: rest = 0 } = await callAll(callers, SCORE, secret, 1000);
  expect(admitted + rest).toBe(2000);
});

// How a server with several threads starts, or fails to start.
import { expect, test } from "vitest";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { callAll, startWorkerPool } from "./worker-pool.ts";

test("a port on which another server's threads listen is not shared with it", async () => {
  const workerPool = await startWorkerPool(2);
  const starting = startWorkerPool(2, { variables: { QUINTET_PORT: String(workerPool.port) } });
  await expect(starting).rejects.toThrow(`listen EADDRINUSE: address already in use 127.0.0.1:${workerPool.port}`);
  expect((await workerPool.reach("1.0")).thread).toBe("1.0");
});

test("a server whose threads cannot start fails, and another can start in its place", async () => {
  const dataDir = temporaryDirectory();
  await expect(startWorkerPool(2, { dataDir }, "./failing-worker.ts")).rejects.toThrow("This worker fails at its start.");
  const workerPool = await startWorkerPool(1, { dataDir });
  expect((await fetch(`${workerPool.origin}/openapi.json`)).status).toBe(200);
});

test("when threads cannot share a port, one of them serves", async () => {
  const workerPool = await startWorkerPool(2, {}, "./without-sharing.ts");
  const { secret } = await workerPool.makeCustomer({ farkle: "free" });
  const caller = await workerPool.reach("0.0");
  expect(await callAll([caller], "/farkle/v1/score?dice=1", secret, 3)).toEqual({ OK: 3 });
  expect([...workerPool.workers.values()].map(({ threadId }) => threadId === -1)).toEqual([false, true]);
});

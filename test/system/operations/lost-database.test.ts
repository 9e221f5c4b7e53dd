// Readiness and health of a server while its PostgreSQL is down, and after it is back.
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/runtime/clock.ts";
import { migrateStore } from "../../../src/store/open.ts";
import { startGateway } from "../../fixtures/gateway.ts";
import { type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { sharedClock, sharedTime } from "../../workers/clock-of-threads.ts";
import type { WorkerData } from "../../workers/worker.ts";
import { HEALTH_CLIENTS } from "./clients.ts";

const STALE_AFTER_MS = 10_000;

describeWith(postgres, "A server that has lost its PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test.each([1, 2])(
    "is not ready from the time it stops admitting calls until the database is back, with %i threads",
    async (threads) => {
      const url = await server.createDatabase();
      const database = { url, connectionsMax: 2, staleAfterMs: STALE_AFTER_MS };
      await migrateStore({ dataDir: "/nonexistent", database, clock: systemClock });
      const time = sharedTime();
      const gateway = await startGateway({
        clock: sharedClock(time),
        variables: { QUINTET_DATABASE_URL: url, QUINTET_WORKERS: String(threads) },
        startThread(data) {
          const workerData: WorkerData = { data, time };
          return new Worker(new URL("../../workers/worker.ts", import.meta.url), { workerData });
        },
      });
      onTestFinished(() => gateway.close());
      const probe = async (path: string): Promise<string> => {
        const response = await fetch(gateway.origin + path);
        return `${response.status} ${await response.text()}`;
      };
      const [grpcJs] = HEALTH_CLIENTS;
      const statuses = grpcJs?.watch(gateway.origin, "") as AsyncGenerator<string>;
      expect((await statuses.next()).value).toBe("SERVING");

      await server.stop();
      // It may still admit calls from its leases, so it stays ready.
      expect(await probe("/readyz")).toBe('200 {"status":"ready","store":"PostgreSQL"}\n');
      Atomics.add(time, 0, STALE_AFTER_MS + 1000);
      expect(await probe("/readyz")).toBe('503 {"status":"not ready","reason":"limits-unavailable","store":"PostgreSQL"}\n');
      expect(await probe("/livez")).toBe('200 {"status":"live"}\n');
      expect((await statuses.next()).value).toBe("NOT_SERVING");

      await server.start();
      expect((await statuses.next()).value).toBe("SERVING");
      await expect.poll(() => probe("/readyz")).toBe('200 {"status":"ready","store":"PostgreSQL"}\n');
    },
  );
});

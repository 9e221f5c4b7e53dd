// Alerts and webhooks of several servers on one PostgreSQL, which are killed at any moment, to receivers that fail: every alert is made and
// delivered once. A request may come again with the same id, but no alert has two ids, and none is missing.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/runtime/clock.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { startReceiver, withStatus } from "../../fixtures/servers/webhook-receiver.ts";
import { ALERT_PLANS, CALLS_PER_MONTH } from "./alert-plans.ts";
import { fastClock } from "./fast-clock.ts";
import { databaseOptions } from "./stores.ts";

const CUSTOMERS = 30;
const NODES = 3;
const STEPS = 20;
const LEVELS = [50, 80, 95, 100];
const STARTED_MS = Date.UTC(2026, 10, 21, 12);
const SEED = Number(process.env.QUINTET_LIMITS_SEED ?? Math.floor(systemRandomness.unit() * 2 ** 31));
// A receiver fails no later than this for one alert: the fifth attempt comes only after hours, which even the fast clock takes minutes for.
const TROUBLED_REQUESTS = 3;
const WITHIN = { timeout: 400_000, interval: 250 };

describeWith(postgres, "Alerts of several servers", () => {
  test(`are made and delivered once, though servers are killed and receivers fail: seed ${SEED}`, async () => {
    const random = seeded(SEED);
    const server = await startPostgres();
    const url = await server.createDatabase();
    const startedMs = systemClock.nowMs();
    const clock = fastClock(STARTED_MS, startedMs);
    const options = { ...databaseOptions(url), clock };
    await migrateStore(options);
    const store = await openStore({ ...options, role: "command" });
    await store.applyPlans(ALERT_PLANS);
    // What receivers took: of which customer, and with which id.
    const taken: { readonly customer: string; readonly id: string; readonly percent: number }[] = [];
    const requestsById = new Map<string, number>();
    const receiver = await startReceiver(undefined, (response, { path, headers, body }) => {
      const webhookId = headers["webhook-id"] ?? "";
      const requests = (requestsById.get(webhookId) ?? 0) + 1;
      requestsById.set(webhookId, requests);
      const fate = requests > TROUBLED_REQUESTS ? 1 : random();
      if (fate < 0.2) {
        withStatus(503)(response, { method: "", path, headers, body });
      } else if (fate < 0.3) {
        response.destroy();
      } else {
        const { data } = JSON.parse(body) as { data: { percent: number } };
        taken.push({ customer: path ?? "", id: webhookId, percent: data.percent });
        // The server may be killed before it reads this, or never get it.
        fate < 0.4 ? response.destroy() : withStatus(204)(response, { method: "", path, headers, body });
      }
    });
    const nodes = new Set<ChildProcess>();
    const start = async (): Promise<void> => {
      const args = [url, String(STARTED_MS), String(startedMs)];
      const node = fork(join(import.meta.dirname, "alert-node.ts"), args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
      nodes.add(node);
      await once(node, "message");
    };
    const kill = async (): Promise<void> => {
      const [node] = nodes;
      if (node !== undefined) {
        nodes.delete(node);
        node.kill("SIGKILL");
        await once(node, "exit");
      }
    };
    onTestFinished(async () => {
      await Promise.all(Array.from({ length: NODES }, kill));
      await store.close();
      await receiver.close();
      await server.close();
    });
    const customers = Array.from({ length: CUSTOMERS }, (_, number) => `a-${number}`);
    for (const id of customers) {
      await store.createAccount({ id, name: id, email: null });
      await store.createSubscription({ id: `s-${id}`, accountId: id, service: "radio", plan: "free", state: "active" });
      const endpoint = { url: `${new URL(receiver.url).origin}/${id}`, description: "", alertTypes: [], secret: "whsec_c2VjcmV0" };
      await store.createWebhookEndpoint({ ...endpoint, id: `e-${id}`, accountId: id });
    }
    await Promise.all(Array.from({ length: NODES }, start));
    let kills = 0;
    for (let step = 0; step < STEPS; step++) {
      const calls = CALLS_PER_MONTH / STEPS;
      for (const accountId of customers) {
        await store.lease(`s-${accountId}`, "2026-11", CALLS_PER_MONTH, calls);
      }
      const count = { keyId: "k-1", service: "radio", method: "m/Search", day: "2026-11-21", hour: 12, outcome: "OK" } as const;
      await store.addUsage(
        customers.map((accountId) => ({ ...count, accountId, calls })),
        newBatch(),
      );
      await store.topAccounts({ fromDay: "2026-11-21", toDay: "2026-11-21", refunded: [], limit: 1 });
      if (random() < 0.6) {
        kills += 1;
        await Promise.all([kill(), start()]);
      }
    }
    const idsOf = (customer: string, percent: number) => [
      ...new Set(taken.filter((one) => one.customer === `/${customer}` && one.percent === percent).map(({ id }) => id)),
    ];
    await expect
      .poll(() => new Set(taken.map(({ customer, percent }) => `${customer} ${percent}`)).size, WITHIN)
      .toBe(CUSTOMERS * LEVELS.length);
    await expect.poll(() => store.waitingDeliveries(1000), WITHIN).toBe(0);
    const wrong: unknown[] = [];
    for (const id of customers) {
      const { alerts } = await store.alertPage(id, { limit: 100, offset: 0 });
      const { deliveries } = await store.webhookDeliveries(id, `e-${id}`, { limit: 100, offset: 0 });
      const created = Object.fromEntries(alerts.map((alert) => [alert.level, [alert.id]]));
      const received = Object.fromEntries(LEVELS.map((level) => [level, idsOf(id, level)]));
      const states = deliveries.map(({ state }) => state);
      if (JSON.stringify(created) !== JSON.stringify(received) || states.length !== LEVELS.length || states.includes("failed")) {
        wrong.push({ id, created, received, states });
      }
    }
    const received = receiver.received.length;
    process.stdout.write(
      `seed ${SEED}: ${kills} kills, ${CUSTOMERS * LEVELS.length} alerts, ${received} requests, ${wrong.length} wrong\n`,
    );
    expect(wrong).toEqual([]);
    expect(kills).toBeGreaterThan(0);
  });
});

// Webhooks from the counted call to the customer's server: with a store, several servers on it, and a real receiver over a socket.
import { expect, onTestFinished, test } from "vitest";
import {
  expectUnverified,
  startReceiver,
  verified,
  type WebhookReceiver,
  withStatus,
} from "../../fixtures/servers/webhook-receiver.ts";
import { type AlertScene, open } from "../alert-scene.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const secretOf = (fill: number): string => `whsec_${Buffer.alloc(32, fill).toString("base64")}`;
const SECRET = secretOf(1);

interface Customer extends AlertScene {
  readonly receiver: WebhookReceiver;
  readonly deliveries: () => ReturnType<AlertScene["store"]["webhookDeliveries"]>;
}

async function openCustomer(respond?: WebhookReceiver["respond"]): Promise<Customer> {
  const place = await open();
  const receiver = await startReceiver(undefined, respond);
  onTestFinished(() => receiver.close());
  const endpoint = { url: receiver.url, description: "", alertTypes: [], secret: SECRET };
  await place.store.createWebhookEndpoint({ ...endpoint, id: "e-1", accountId: "a-1" });
  const deliveries = () => place.store.webhookDeliveries("a-1", "e-1", { limit: 50, offset: 0 });
  return { ...place, receiver, deliveries };
}

test("each part of a month is sent once, signed, by two servers on one database, also those that are not mailed", async () => {
  const { store, receiver, pass, begin, spend } = await openCustomer();
  await Promise.all([begin(), begin()]);
  for (const [calls, parts] of [
    [500, 1],
    [500, 4],
  ] as const) {
    await spend(calls);
    for (let round = 0; round < 5; round++) {
      await pass(5000);
    }
    await expect.poll(() => receiver.received.length).toBe(parts);
  }
  const { alerts } = await store.alertPage("a-1", { limit: 10, offset: 0 });
  expect(receiver.received.map(({ headers }) => headers["webhook-id"]).toSorted()).toEqual(alerts.map(({ id }) => id).toSorted());
  const sent = receiver.received.map((webhook) => verified(webhook, SECRET) as { type: string; data: { percent: number } });
  expect(sent.map(({ data }) => data.percent).toSorted((a, b) => a - b)).toEqual([50, 80, 95, 100]);
  expect(sent[0]).toEqual({
    type: "quota.threshold",
    timestamp: new Date(alerts.at(-1)?.createdAtMs ?? 0).toISOString().replace(".000Z", "Z"),
    data: {
      ...{ service: "radio", plan: "free", month: "2026-11", percent: 50, used: 500, calls_per_month: 1000 },
      resets_at: "2026-12-01T00:00:00Z",
    },
  });
  for (const webhook of receiver.received) {
    expectUnverified(webhook, secretOf(2));
    expectUnverified({ ...webhook, body: `${webhook.body} ` }, SECRET);
  }
});

test("a request that fails is repeated with the same id and a new timestamp, and each attempt is in the log", async () => {
  const { receiver, clock, pass, begin, spend, deliveries } = await openCustomer(withStatus(503, "later"));
  const alerts = await begin();
  await spend(500);
  await pass(5000);
  await pass(5000);
  await expect.poll(() => alerts.webhookCounts).toEqual({ delivered: 0, retried: 1, failed: 0, disabled: 0 });
  receiver.respond = withStatus(200, "thanks");
  await pass(5000);
  await pass(5000);
  await expect.poll(() => alerts.webhookCounts).toEqual({ delivered: 1, retried: 1, failed: 0, disabled: 0 });
  const [first, second] = receiver.received;
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(Number(second?.headers["webhook-timestamp"])).toBeGreaterThan(Number(first?.headers["webhook-timestamp"]));
  for (const webhook of receiver.received) {
    verified(webhook, SECRET);
  }
  await expect.poll(async () => (await deliveries()).deliveries.map(({ state }) => state)).toEqual(["delivered"]);
  const [{ attempts } = { attempts: [] }] = (await deliveries()).deliveries;
  expect(attempts).toMatchObject([
    { attempt: 1, httpStatus: 503, response: "later", error: "The endpoint responded with HTTP 503." },
    { attempt: 2, httpStatus: 200, response: "thanks", error: undefined },
  ]);
  expect(attempts.map(({ atMs }) => atMs <= clock.nowMs())).toEqual([true, true]);
});

test("a server that fails for a day is given up after nine attempts, and its owner is notified by e-mail", async () => {
  const { store, receiver, smtp, pass, begin, spend, deliveries } = await openCustomer(withStatus(500));
  await store.setAlertPreferences("a-1", { muted: ["quota.threshold"] });
  const alerts = await begin();
  await spend(500);
  await pass(5000);
  for (let attempt = 1; attempt <= 9; attempt++) {
    for (let hours = 0; hours < 40 && receiver.received.length < attempt; hours++) {
      await pass(attempt < 4 ? MINUTE_MS : HOUR_MS / 4);
    }
    await expect.poll(() => receiver.received.length).toBe(attempt);
    await expect.poll(() => alerts.webhookCounts.retried + alerts.webhookCounts.failed).toBe(attempt);
  }
  await expect.poll(async () => (await deliveries()).deliveries.map(({ state }) => state)).toEqual(["failed"]);
  await pass(5000);
  await pass(5000);
  await expect.poll(() => smtp.mails.length).toBe(1);
  expect(smtp.mails[0]?.source).toContain("Subject: Your webhook endpoint has been failing for a day");
  await pass(24 * HOUR_MS);
  expect(receiver.received).toHaveLength(9);
});

test("a server that responds with 410 gets nothing more, and its owner is notified by e-mail", async () => {
  const { store, receiver, smtp, pass, begin, spend } = await openCustomer(withStatus(410));
  await store.setAlertPreferences("a-1", { muted: ["quota.threshold"] });
  const alerts = await begin();
  for (const calls of [500, 500]) {
    await spend(calls);
    for (let round = 0; round < 4; round++) {
      await pass(5000);
    }
  }
  await expect.poll(() => smtp.mails.length).toBe(1);
  expect(smtp.mails[0]?.source).toContain("Subject: Your webhook endpoint was disabled");
  expect(receiver.received).toHaveLength(1);
  expect((await store.findWebhookEndpoint("a-1", "e-1"))?.disabledBy).toBe("gone");
  expect(alerts.webhookCounts).toEqual({ delivered: 0, retried: 0, failed: 1, disabled: 1 });
});

test("after a rotation, requests verify with both secrets for a day, and then with the new one alone", async () => {
  const { store, clock, receiver, pass, begin } = await openCustomer();
  await begin();
  const testSent = async (id: string) => {
    await store.addWebhookTest("a-1", "e-1", id);
    await pass(3000);
    await expect.poll(() => receiver.received.at(-1)?.headers["webhook-id"]).toBe(id);
    return receiver.received.at(-1) ?? expect.unreachable();
  };
  await store.rotateWebhookSecret("a-1", "e-1", secretOf(2), clock.nowMs() + 24 * HOUR_MS);
  const during = await testSent("test-1");
  expect(verified(during, secretOf(2))).toEqual(verified(during, SECRET));
  expect(verified(during, SECRET)).toMatchObject({ type: "webhook.test", data: { endpoint_id: "e-1" } });
  await pass(24 * HOUR_MS);
  const after = await testSent("test-2");
  verified(after, secretOf(2));
  expectUnverified(after, SECRET);
});

test("what a server was sending when it stopped is sent by another, with the same id", async () => {
  const { clock, receiver, pass, begin, spend } = await openCustomer(() => {});
  const first = await begin();
  await spend(500);
  await pass(5000);
  clock.advance(3000);
  await expect.poll(() => receiver.received.length).toBe(1);
  await first.close(0);
  receiver.respond = withStatus(200);
  const second = await begin();
  await pass(120_000);
  await pass(3000);
  await expect.poll(() => second.webhookCounts).toEqual({ delivered: 1, retried: 0, failed: 0, disabled: 0 });
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

test("an account whose server hangs does not delay the deliveries of another", async () => {
  const { clock, store, receiver, begin } = await openCustomer(() => {});
  const other = await startReceiver();
  onTestFinished(() => other.close());
  await store.createAccount({ id: "a-2", name: "other", email: null });
  const endpoint = { url: other.url, description: "", alertTypes: [], secret: SECRET };
  await store.createWebhookEndpoint({ ...endpoint, id: "e-2", accountId: "a-2" });
  const alert = { type: "key.expiring", period: "2026", level: 1, details: {}, isMailed: false } as const;
  const subjects = Array.from({ length: 40 }, (_, index) => `k-${index}`);
  await store.addAlerts(
    subjects.map((subject) => ({ ...alert, subject, accountId: "a-1" })),
    { mails: false },
  );
  await begin();
  clock.advance(3000);
  await expect.poll(() => receiver.received.length).toBe(2);
  await store.addAlerts([{ ...alert, subject: "k-1", accountId: "a-2" }], { mails: false });
  await expect.poll(() => clock.advance(100) ?? other.received.length).toBe(1);
  expect(receiver.received).toHaveLength(2);
});

// Webhook endpoints, and that each alert is delivered to each of them by one server at a time, with every attempt in the log.
import { describe, expect, test } from "vitest";
import type { ClaimedWebhook, NewAlert, NewWebhookEndpoint, WebhookResult } from "../../../src/store/alert-records.ts";
import type { Store } from "../../../src/store/store.ts";
import { fails, nowMs, type OpenedStore, type Openers } from "./samples.ts";

const DAY_MS = 86_400_000;
const LEASE_MS = 120_000;
const endpoint: NewWebhookEndpoint = {
  ...{ id: "e-1", accountId: "a-1", url: "https://acme.example/hook", description: "ours", alertTypes: [] },
  secret: "whsec_first",
};
const alert: NewAlert = {
  ...{ accountId: "a-1", type: "quota.threshold", subject: "radio", period: "2026-11/free", level: 80, isMailed: true },
  details: { percent: 80 },
};
const created = {
  ...{ id: "e-1", accountId: "a-1", url: "https://acme.example/hook", description: "ours", alertTypes: [] },
  ...{ disabledBy: undefined, failingSinceMs: undefined, previousSecretUntilMs: undefined, createdAtMs: nowMs },
} as const;
const ok: WebhookResult = {
  ...{ state: "delivered", atMs: nowMs, durationMs: 12, httpStatus: 204, response: "", error: undefined, isGone: false },
};
const broken: WebhookResult = {
  ...{ state: "failed", atMs: nowMs, durationMs: 7, httpStatus: 500, response: "oh", error: "HTTP 500.", isGone: false },
};
const mails = { mails: true };
const page = { limit: 10, offset: 0 };

const claim = (store: Store, exceptAccountIds: readonly string[] = [], limit = 16): Promise<readonly ClaimedWebhook[]> =>
  store.claimWebhooks({ limit, leaseMs: LEASE_MS, perAccountMax: 2, exceptAccountIds });

async function claimOne(store: Store): Promise<ClaimedWebhook> {
  const [claimed, ...others] = await claim(store);
  expect(others).toEqual([]);
  if (claimed === undefined) {
    throw new Error("Nothing is due.");
  }
  return claimed;
}

const deliveriesOf = async (store: Store, id = "e-1") => (await store.webhookDeliveries("a-1", id, page)).deliveries;
const statesOf = async (store: Store, id = "e-1") => (await deliveriesOf(store, id)).map(({ state }) => state);

/** The tests that every store passes. */
export function webhooksSuite({ open }: Openers): void {
  const openWithEndpoint = async (changes: Partial<NewWebhookEndpoint> = {}): Promise<OpenedStore> => {
    const opened = await open();
    await opened.store.createWebhookEndpoint({ ...endpoint, ...changes });
    return opened;
  };

  describe("a webhook endpoint", () => {
    test("is created, found, changed and deleted by its account alone, and the audit trail has no secret", async () => {
      const { store, fixture } = await open();
      expect(await store.createWebhookEndpoint(endpoint)).toEqual(created);
      expect([await store.webhookEndpoints("a-1"), await store.webhookEndpoints("a-2")]).toEqual([[created], []]);
      expect(await store.findWebhookEndpoint("a-2", "e-1")).toBeUndefined();
      const changes = { url: "https://acme.example/new", description: "", alertTypes: ["key.expiring"] } as const;
      expect(await store.updateWebhookEndpoint("a-1", "e-1", changes)).toEqual({ ...created, ...changes });
      expect(await store.updateWebhookEndpoint("a-1", "e-1", {})).toEqual({ ...created, ...changes });
      const noneOfTheirs = "The account has no webhook endpoint with the ID e-1.";
      await fails(store.updateWebhookEndpoint("a-2", "e-1", changes), noneOfTheirs);
      await fails(store.rotateWebhookSecret("a-1", "e-9", "whsec_x", nowMs), noneOfTheirs.replace("e-1", "e-9"));
      await fails(store.deleteWebhookEndpoint("a-2", "e-1"), noneOfTheirs);
      await store.deleteWebhookEndpoint("a-1", "e-1");
      expect(await store.findWebhookEndpoint("a-1", "e-1")).toBeUndefined();
      const { entries } = await store.auditPage({ accountId: "a-1", limit: 10 });
      expect(entries.map(({ action }) => action).filter((action) => action.startsWith("webhook."))).toEqual([
        "webhook.delete",
        "webhook.update",
        "webhook.update",
        "webhook.create",
      ]);
      expect(JSON.stringify((await fixture.dump()).audit_entries)).not.toContain("whsec");
    });

    test("is one of five at most, even if six are created at once", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      const results = await Promise.allSettled(
        Array.from({ length: 6 }, (_, index) =>
          (index % 2 === 0 ? store : other).createWebhookEndpoint({ ...endpoint, id: `e-${index}` }),
        ),
      );
      expect(results.filter(({ status }) => status === "rejected")).toMatchObject([
        { reason: { message: "The account has 5 webhook endpoints, which is the maximum. Delete one first." } },
      ]);
      expect(await store.webhookEndpoints("a-1")).toHaveLength(5);
      await fails(
        store.createWebhookEndpoint({ ...endpoint, accountId: "a-9", id: "e-9" }),
        "There is no account with the ID a-9.",
      );
    });

    test("signs with both secrets for as long as the rotation allows", async () => {
      const { store, clock } = await openWithEndpoint();
      const secretsNow = async () => {
        await store.addWebhookTest("a-1", "e-1", `test-${clock.nowMs()}`);
        const { endpoint: to, ...claimed } = await claimOne(store);
        await store.endWebhookAttempt({ ...claimed, endpoint: to }, ok, mails);
        return to.secrets;
      };
      expect(await secretsNow()).toEqual(["whsec_first"]);
      const rotated = await store.rotateWebhookSecret("a-1", "e-1", "whsec_second", nowMs + DAY_MS);
      expect(rotated).toEqual({ ...created, previousSecretUntilMs: nowMs + DAY_MS });
      clock.advance(DAY_MS - 1);
      expect(await secretsNow()).toEqual(["whsec_second", "whsec_first"]);
      clock.advance(1);
      expect(await secretsNow()).toEqual(["whsec_second"]);
      expect(await store.findWebhookEndpoint("a-1", "e-1")).toEqual(created);
      await store.rotateWebhookSecret("a-1", "e-1", "whsec_third", clock.nowMs() + DAY_MS);
      await store.rotateWebhookSecret("a-1", "e-1", "whsec_fourth", clock.nowMs() + DAY_MS);
      clock.advance(1);
      expect(await secretsNow()).toEqual(["whsec_fourth", "whsec_third"]);
    });

    test("gets the alerts of its types, mailed or not, unless it is disabled", async () => {
      const { store } = await openWithEndpoint();
      await store.createWebhookEndpoint({ ...endpoint, id: "e-2", alertTypes: ["key.expiring", "calls.failing"] });
      await store.createWebhookEndpoint({ ...endpoint, id: "e-3" });
      await store.updateWebhookEndpoint("a-1", "e-3", { isDisabled: true });
      await store.addAlerts([alert, { ...alert, level: 50, isMailed: false }], { mails: false });
      await store.addAlerts([{ ...alert, type: "key.expiring", subject: "k-1" }], { mails: false });
      const eventsOf = async (id: string) => (await deliveriesOf(store, id)).map(({ event }) => event.type).toSorted();
      expect([await eventsOf("e-1"), await eventsOf("e-2"), await eventsOf("e-3")]).toEqual([
        ["key.expiring", "quota.threshold", "quota.threshold"],
        ["key.expiring"],
        [],
      ]);
    });
  });

  describe("a delivery to an endpoint", () => {
    test("is made once, however many servers notice the alert, with the alert's id", async () => {
      const { store, clock, fixture } = await openWithEndpoint();
      const other = await fixture.open(clock);
      await Promise.all([store.addAlerts([alert], mails), other.addAlerts([alert], mails), store.addAlerts([alert], mails)]);
      clock.advance(1000);
      await other.addAlerts([alert], mails);
      const { alerts } = await store.alertPage("a-1", page);
      const [delivery, ...others] = await deliveriesOf(store);
      expect(others).toEqual([]);
      expect(delivery).toMatchObject({
        event: { id: alerts[0]?.id, type: "quota.threshold", createdAtMs: nowMs, details: { percent: 80 } },
        ...{ state: "waiting", createdAtMs: nowMs, dueAtMs: nowMs, error: undefined, attempts: [] },
      });
      expect(await store.webhookDeliveries("a-2", "e-1", page)).toEqual({ deliveries: [], hasMore: false });
      expect(await store.findWebhookDelivery("a-2", delivery?.id ?? "")).toBeUndefined();
    });

    test("is sent by one server, and by another if the first has not finished in time", async () => {
      const { store, clock, fixture } = await openWithEndpoint();
      const other = await fixture.open(clock);
      await store.addAlerts([alert], mails);
      const [first, second] = await Promise.all([claim(store), claim(other)]);
      const [claimed] = [...first, ...second];
      expect(first.length + second.length).toBe(1);
      expect(claimed).toMatchObject({
        ...{ attempt: 1, accountId: "a-1", event: { type: "quota.threshold", details: { percent: 80 } } },
        endpoint: { id: "e-1", url: endpoint.url, secrets: ["whsec_first"] },
      });
      clock.advance(LEASE_MS - 1);
      expect(await claim(other)).toEqual([]);
      clock.advance(1);
      const again = await claimOne(other);
      expect([again.id, again.attempt, again.event.id]).toEqual([claimed?.id, 2, claimed?.event.id]);
      // The first server was only slow. Its attempt is logged, but decides nothing.
      await store.endWebhookAttempt(claimed as ClaimedWebhook, broken, mails);
      expect(await statesOf(store)).toEqual(["waiting"]);
      await other.endWebhookAttempt(again, ok, mails);
      const [delivery] = await deliveriesOf(store);
      expect([delivery?.state, delivery?.dueAtMs, delivery?.attempts]).toEqual([
        "delivered",
        undefined,
        [
          { attempt: 1, atMs: nowMs, durationMs: 7, httpStatus: 500, response: "oh", error: "HTTP 500." },
          { attempt: 2, atMs: nowMs, durationMs: 12, httpStatus: 204, response: "", error: undefined },
        ],
      ]);
      clock.advance(LEASE_MS);
      expect(await claim(store)).toEqual([]);
      expect((await store.findWebhookEndpoint("a-1", "e-1"))?.failingSinceMs).toBeUndefined();
    });

    test("of one account is taken two at a time, and none while others of it are sent", async () => {
      const { store, clock } = await openWithEndpoint();
      await store.createAccount({ id: "a-2", name: "other", email: null });
      await store.createWebhookEndpoint({ ...endpoint, id: "e-2", accountId: "a-2" });
      await store.addAlerts(
        [50, 80, 95, 100].map((level) => ({ ...alert, level })),
        mails,
      );
      clock.advance(1);
      await store.addAlerts([{ ...alert, accountId: "a-2" }], mails);
      const accounts = async (...args: Parameters<typeof claim>) => (await claim(...args)).map(({ accountId }) => accountId);
      expect(await accounts(store)).toEqual(expect.arrayContaining(["a-1", "a-1", "a-2"]));
      expect(await accounts(store, ["a-1"])).toEqual([]);
      expect(await accounts(store, ["a-2"], 1)).toEqual(["a-1"]);
      expect(await accounts(store)).toEqual(["a-1"]);
      expect(await accounts(store)).toEqual([]);
    });

    test("is not mistaken for an e-mail, nor an e-mail for it", async () => {
      const { store } = await openWithEndpoint();
      await store.setOwnerPassword("a-1", "hash");
      const token = { tokenHash: "t", purpose: "verify", email: "ops@acme.example", accountId: "a-1" } as const;
      await store.addMailToken({ ...token, expiresAtMs: nowMs + 1 });
      await store.verifyEmail("t", undefined);
      await store.addAlerts([alert], mails);
      expect([(await store.claimDeliveries(8, LEASE_MS)).length, (await claim(store)).length]).toEqual([1, 1]);
    });

    test("is tried again when its pause has passed", async () => {
      const { store, clock } = await openWithEndpoint();
      await store.addAlerts([alert], mails);
      const retried: WebhookResult = { ...broken, state: "waiting", retryAtMs: nowMs + 5000 };
      await store.endWebhookAttempt(await claimOne(store), retried, mails);
      expect((await deliveriesOf(store))[0]?.dueAtMs).toBe(nowMs + 5000);
      expect((await store.findWebhookEndpoint("a-1", "e-1"))?.failingSinceMs).toBe(nowMs);
      clock.advance(4999);
      expect(await claim(store)).toEqual([]);
      clock.advance(1);
      expect((await claimOne(store)).attempt).toBe(2);
    });

    test("fails without an attempt if its endpoint is disabled or deleted, or its account suspended", async () => {
      const { store } = await openWithEndpoint();
      await store.addAlerts([alert], mails);
      await store.updateWebhookEndpoint("a-1", "e-1", { isDisabled: true });
      const [delivery] = await deliveriesOf(store);
      expect([delivery?.state, delivery?.error]).toEqual(["failed", "The endpoint was disabled."]);
      await fails(store.replayWebhookDelivery("a-1", delivery?.id ?? ""), "The webhook endpoint is disabled. Enable it first.");
      await store.updateWebhookEndpoint("a-1", "e-1", { isDisabled: false });
      await store.replayWebhookDelivery("a-1", delivery?.id ?? "");
      await store.setSuspended("a-1", true);
      expect(await claim(store)).toEqual([]);
      expect((await deliveriesOf(store))[0]?.error).toBe("The account is suspended.");
      await store.setSuspended("a-1", false);
      await store.deleteWebhookEndpoint("a-1", "e-1");
      expect([await claim(store), await store.waitingDeliveries(9)]).toEqual([[], 0]);
    });

    test("is replayed with the same id, but not while it is sent", async () => {
      const { store, clock } = await openWithEndpoint();
      await store.addAlerts([alert], mails);
      const claimed = await claimOne(store);
      await fails(store.replayWebhookDelivery("a-1", claimed.id), "The delivery is being sent already.");
      await store.endWebhookAttempt(claimed, { ...broken, state: "waiting", retryAtMs: nowMs + DAY_MS }, mails);
      await fails(store.replayWebhookDelivery("a-2", claimed.id), `The account has no webhook delivery with the ID ${claimed.id}.`);
      expect((await store.replayWebhookDelivery("a-1", claimed.id)).dueAtMs).toBe(nowMs);
      await fails(store.replayWebhookDelivery("a-1", claimed.id), "The delivery is being sent already.");
      const again = await claimOne(store);
      expect([again.id, again.event.id, again.attempt]).toEqual([claimed.id, claimed.event.id, 2]);
      await store.endWebhookAttempt(again, ok, mails);
      clock.advance(DAY_MS);
      expect(await claim(store)).toEqual([]);
      await store.replayWebhookDelivery("a-1", claimed.id);
      expect((await claimOne(store)).attempt).toBe(3);
    });

    test("is shown for 7 days, newest first and by pages, with its last 20 attempts", async () => {
      const { store, clock, fixture } = await openWithEndpoint();
      await store.addAlerts([alert], mails);
      clock.advance(1);
      await store.addWebhookTest("a-1", "e-1", "test-1");
      const [newer, older] = await deliveriesOf(store);
      expect([newer?.event.type, older?.event.type]).toEqual(["webhook.test", "quota.threshold"]);
      const second = await store.webhookDeliveries("a-1", "e-1", { limit: 1, offset: 1 });
      const first = await store.webhookDeliveries("a-1", "e-1", { limit: 1, offset: 0 });
      expect([first.deliveries, first.hasMore, second.deliveries, second.hasMore]).toEqual([[newer], true, [older], false]);
      for (let attempt = 1; attempt <= 22; attempt++) {
        for (const claimed of await claim(store)) {
          await store.endWebhookAttempt(claimed, ok, mails);
        }
        await store.replayWebhookDelivery("a-1", older?.id ?? "");
      }
      const kept = (await deliveriesOf(store)).map(({ attempts }) => attempts.map(({ attempt }) => attempt));
      expect(kept).toEqual([[1], Array.from({ length: 20 }, (_, index) => index + 3)]);
      clock.advance(7 * DAY_MS);
      expect(await deliveriesOf(store)).toHaveLength(1);
      clock.advance(1);
      expect(await deliveriesOf(store)).toEqual([]);
      await fails(
        store.replayWebhookDelivery("a-1", older?.id ?? ""),
        `The account has no webhook delivery with the ID ${older?.id}.`,
      );
      await store.deleteExpired();
      expect((await fixture.dump()).webhook_attempts).toEqual([]);
    });
  });

  describe("a test of an endpoint", () => {
    test("goes to that endpoint alone, is no alert, and says nothing about the endpoint if it fails", async () => {
      const { store, clock } = await openWithEndpoint();
      await store.createWebhookEndpoint({ ...endpoint, id: "e-2" });
      const added = await store.addWebhookTest("a-1", "e-1", "test-1");
      expect(added.event).toEqual({ id: "test-1", type: "webhook.test", createdAtMs: nowMs, details: { endpoint_id: "e-1" } });
      const claimed = await claimOne(store);
      expect([claimed.id, claimed.endpoint.id]).toEqual([added.id, "e-1"]);
      await store.endWebhookAttempt(claimed, { ...broken, isGone: true }, mails);
      expect(await store.findWebhookEndpoint("a-1", "e-1")).toEqual(created);
      expect((await store.alertPage("a-1", page)).alerts).toEqual([]);
      await fails(store.addWebhookTest("a-2", "e-1", "test-2"), "The account has no webhook endpoint with the ID e-1.");
      await store.updateWebhookEndpoint("a-1", "e-1", { isDisabled: true });
      await fails(store.addWebhookTest("a-1", "e-1", "test-2"), "The webhook endpoint is disabled. Enable it first.");
      await store.updateWebhookEndpoint("a-1", "e-1", { isDisabled: false });
      clock.advance(7 * DAY_MS + 1);
      await store.addWebhookTest("a-1", "e-1", "test-3");
      expect(await store.findWebhookDelivery("a-1", added.id)).toBeUndefined();
    });
  });

  describe("an endpoint that fails", () => {
    const failOne = async ({ store, clock }: OpenedStore, level: number, result: Partial<WebhookResult> = {}) => {
      await store.addAlerts([{ ...alert, level }], mails);
      await store.endWebhookAttempt(await claimOne(store), { ...broken, atMs: clock.nowMs(), ...result }, mails);
    };
    const told = async (store: Store) =>
      (await store.alertPage("a-1", page)).alerts
        .filter(({ type }) => type === "webhook.failing")
        .map(({ subject, level, details }) => ({ subject, level, details }));

    test("is reported once each time it begins to fail, by e-mail and not by webhooks", async () => {
      const opened = await openWithEndpoint();
      const { store, clock } = opened;
      await store.setOwnerPassword("a-1", "hash");
      const token = { tokenHash: "t", purpose: "verify", email: "ops@acme.example", accountId: "a-1" } as const;
      await store.addMailToken({ ...token, expiresAtMs: nowMs + 1 });
      await store.verifyEmail("t", undefined);
      await store.setAlertPreferences("a-1", { muted: ["quota.threshold"] });
      await failOne(opened, 50);
      clock.advance(DAY_MS);
      await failOne(opened, 80);
      const first = {
        ...{ subject: "e-1", level: 0 },
        details: { endpoint_id: "e-1", url: endpoint.url, since: new Date(nowMs).toISOString(), error: "HTTP 500.", disabled: 0 },
      };
      expect(await told(store)).toEqual([first]);
      expect((await store.claimDeliveries(8, LEASE_MS)).map((mail) => mail.alert.type)).toEqual(["webhook.failing"]);
      await store.addAlerts([{ ...alert, level: 95 }], mails);
      await store.endWebhookAttempt(await claimOne(store), ok, mails);
      expect((await store.findWebhookEndpoint("a-1", "e-1"))?.failingSinceMs).toBeUndefined();
      clock.advance(1000);
      await failOne(opened, 100);
      expect((await told(store)).map(({ details }) => details.since)).toEqual([
        new Date(nowMs + DAY_MS + 1000).toISOString(),
        new Date(nowMs).toISOString(),
      ]);
    });

    test("is disabled when a delivery is given up after five days without a success", async () => {
      const opened = await openWithEndpoint();
      const { store, clock } = opened;
      await failOne(opened, 50);
      clock.advance(5 * DAY_MS - 1);
      await failOne(opened, 80);
      expect((await store.findWebhookEndpoint("a-1", "e-1"))?.disabledBy).toBeUndefined();
      await store.addAlerts([{ ...alert, subject: "farkle" }], mails);
      await store.endWebhookAttempt(await claimOne(store), { ...broken, state: "waiting", retryAtMs: nowMs + 9 * DAY_MS }, mails);
      clock.advance(1);
      await failOne(opened, 95);
      expect((await store.findWebhookEndpoint("a-1", "e-1"))?.disabledBy).toBe("failures");
      expect((await told(store)).map(({ level, details }) => [level, details.disabled])).toEqual([
        [1, 1],
        [0, 0],
      ]);
      expect(await statesOf(store)).toEqual(["failed", "failed", "failed", "failed"]);
      expect(await store.updateWebhookEndpoint("a-1", "e-1", { isDisabled: false })).toEqual(created);
    });

    test("is disabled at once if it is gone", async () => {
      const opened = await openWithEndpoint();
      await failOne(opened, 50, { isGone: true });
      expect((await opened.store.findWebhookEndpoint("a-1", "e-1"))?.disabledBy).toBe("gone");
      expect((await told(opened.store)).map(({ level }) => level)).toEqual([1]);
    });

    test("that was deleted while something was sent to it leaves nothing", async () => {
      const { store, fixture } = await openWithEndpoint();
      await store.addAlerts([alert], mails);
      const claimed = await claimOne(store);
      await store.deleteWebhookEndpoint("a-1", "e-1");
      await store.endWebhookAttempt(claimed, broken, mails);
      const { webhook_attempts: attempts, alert_deliveries: deliveries } = await fixture.dump();
      expect([attempts, deliveries]).toEqual([[], []]);
    });
  });
}

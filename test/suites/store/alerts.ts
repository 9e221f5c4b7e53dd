// Alerts: what is checked, that each is made once with its deliveries, and that each delivery is sent by one server at a time.
import { describe, expect, test } from "vitest";
import type { AlertRules, CountedCalls, NewAlert, SubscriptionMonth } from "../../../src/store/alert-records.ts";
import type { Store } from "../../../src/store/store.ts";
import type { RefusalCount, UsageCount } from "../../../src/store/usage-records.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { fails, newKey, nowMs, type OpenedStore, type Openers, radio } from "./samples.ts";

const MINUTE_MS = 60_000;
const LEASE_MS = 120_000;
const used: UsageCount = {
  ...{ accountId: "a-1", keyId: "k-1", service: "radio", method: "m/Search" },
  ...{ day: "2026-11-21", hour: 11, outcome: "OK", calls: 7 },
};
const refused: RefusalCount = {
  ...{ accountId: "a-1", keyId: "k-1", service: "radio", day: "2026-11-21", hour: 11 },
  ...{ reason: "QUOTA_EXCEEDED", calls: 3, rateNeeded: 0 },
};
const alert: NewAlert = {
  ...{ accountId: "a-1", type: "quota.threshold", subject: "radio", period: "2026-11/free", level: 80, isMailed: true },
  details: { percent: 80 },
};
const span = {
  ...{ accountId: "a-1", fromDay: "2026-11-01", toDay: "2026-11-30", groupBy: [], refunded: [] },
  ...{ limit: 10, offset: 0, countsMax: 1000 },
} as const;
const sent = { state: "delivered", result: "SENT" } as const;

const addUp = async (store: Store): Promise<void> => {
  await store.usageRows(span);
};

// Rules that make no alerts, but record what they were asked about.
function watching(): AlertRules & { readonly seen: { standing: SubscriptionMonth; counted: CountedCalls | undefined }[] } {
  const seen: { standing: SubscriptionMonth; counted: CountedCalls | undefined }[] = [];
  return {
    seen,
    needsCounts: () => true,
    alertsOf(standing, counted) {
      seen.push({ standing, counted });
      return [];
    },
  };
}

const check = (store: Store, rules: AlertRules, refunded: readonly string[] = []): Promise<number> =>
  store.checkAlerts(rules, { refunded, mails: true, limit: 50 });

/** The tests that every store passes. */
export function alertsSuite({ open }: Openers): void {
  const openVerified = async (): Promise<OpenedStore> => {
    const opened = await open();
    const { store } = opened;
    await store.setOwnerPassword("a-1", "hash");
    await store.addMailToken({
      tokenHash: "t",
      purpose: "verify",
      email: "ops@acme.example",
      accountId: "a-1",
      expiresAtMs: nowMs + 1,
    });
    await store.verifyEmail("t", undefined);
    return opened;
  };
  const deliveriesOf = async ({ fixture }: Pick<OpenedStore, "fixture">) =>
    ((await fixture.dump()).alert_deliveries ?? []).map(({ state, attempts, last_result }) => ({
      ...{ state, attempts: Number(attempts), last_result },
    }));

  describe("the check for alerts", () => {
    test("sees a subscription once after its calls were added up, with what it has used, by one of two servers", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      await store.createSubscription(radio);
      await store.lease("s-1", "2026-11", 100, 40);
      await store.credit("s-1", "2026-11", 5);
      const rules = watching();
      expect(await check(store, rules)).toBe(0);
      const month: readonly UsageCount[] = [
        used,
        { ...used, outcome: "UPSTREAM_FAILED", calls: 2 },
        { ...used, outcome: "NOT_FOUND", calls: 4 },
        { ...used, outcome: "CANCELLED", calls: 1 },
        { ...used, day: "2026-11-20", calls: 5 },
        { ...used, day: "2026-11-14", calls: 6 },
        { ...used, day: "2026-11-13", calls: 8 },
        { ...used, service: "farkle" },
      ];
      await store.addUsage(month, newBatch());
      await addUp(store);
      const taken = await Promise.all([
        check(store, rules, ["UPSTREAM_FAILED", "CANCELLED"]),
        check(other, rules, ["UPSTREAM_FAILED", "CANCELLED"]),
      ]);
      expect(taken.reduce((sum, each) => sum + each)).toBe(2);
      const sinceMs = Math.floor(nowMs / 300_000) * 300_000;
      expect(rules.seen).toEqual([
        {
          standing: {
            ...{ accountId: "a-1", service: "radio", month: "2026-11", plan: "free", callsPerMonth: 20_000, subscribedAtMs: nowMs },
            ...{ leased: 40, credited: 5, raised: 0, alerts: [] },
            recent: [{ sinceMs, calls: 33, failed: 6 }],
          },
          counted: { thisMonth: 30, previousDays: [6, 0, 0, 0, 0, 0, 5], isRefused: false },
        },
      ]);
      expect(await check(store, rules)).toBe(0);
    });

    test("also sees a subscription whose calls are only refused, because the month is used up", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.addRefusals([refused, { ...refused, reason: "RATE_LIMITED", accountId: "a-2" }], newBatch());
      await addUp(store);
      const rules = watching();
      expect(await check(store, rules)).toBe(1);
      expect(rules.seen.map(({ counted }) => counted)).toEqual([
        { thisMonth: 0, previousDays: [0, 0, 0, 0, 0, 0, 0], isRefused: true },
      ]);
    });

    test("sees recent calls in steps of five minutes, for two and a quarter hours, and earlier alerts", async () => {
      const { store, clock } = await open();
      await store.createSubscription(radio);
      await store.addAlerts([alert], { mails: false });
      for (let index = 0; index < 3; index++) {
        await store.addUsage([used], newBatch());
        await store.addUsage([{ ...used, outcome: "INTERNAL" }], newBatch());
        await addUp(store);
        clock.advance(65 * MINUTE_MS);
      }
      const rules = watching();
      await check(store, rules);
      const [{ standing } = { standing: undefined }] = rules.seen;
      expect(standing?.recent).toEqual(
        [65, 130].map((minutes) => ({ sinceMs: nowMs + minutes * MINUTE_MS, calls: 14, failed: 7 })),
      );
      expect(standing?.alerts).toEqual([{ type: "quota.threshold", period: "2026-11/free", level: 80, createdAtMs: nowMs }]);
      expect(await store.deleteExpired()).toBe(false);
    });

    test("reads no recent calls of a service of which none has failed", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.createSubscription({ ...radio, id: "s-2", service: "farkle" });
      await store.addUsage([used, { ...used, service: "farkle" }, { ...used, service: "farkle", outcome: "INTERNAL" }], newBatch());
      await addUp(store);
      const rules = watching();
      await check(store, rules);
      const recent = rules.seen.map(({ standing }) => [
        standing.service,
        standing.recent.map(({ calls, failed }) => [calls, failed]),
      ]);
      expect(recent).toEqual([
        ["farkle", [[14, 7]]],
        ["radio", []],
      ]);
    });

    test("misses no calls that are added up while it runs, on several servers", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      await store.createSubscription(radio);
      const rules = watching();
      for (let round = 0; round < 20; round++) {
        await Promise.all([
          store.addUsage([{ ...used, calls: 1 }], newBatch()).then(() => addUp(store)),
          check(other, rules),
          check(store, rules),
        ]);
      }
      await check(store, rules);
      expect(Math.max(...rules.seen.map(({ counted }) => counted?.thisMonth ?? 0))).toBe(20);
    });

    test("a failing rule leaves everything to be checked again", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.addUsage([used], newBatch());
      await addUp(store);
      const broken: AlertRules = {
        needsCounts: () => false,
        alertsOf: () => {
          throw new Error("broken");
        },
      };
      await expect(check(store, broken)).rejects.toThrow();
      expect(await check(store, watching())).toBe(1);
    });
  });

  describe("an alert", () => {
    test("is made once with one e-mail, even by two servers at once and again later", async () => {
      const opened = await openVerified();
      const { store, clock, fixture } = opened;
      const other = await fixture.open(clock);
      const second = { ...alert, level: 95 };
      await Promise.all([
        store.addAlerts([alert, second], { mails: true }),
        other.addAlerts([second, alert], { mails: true }),
        store.addAlerts([alert], { mails: true }),
      ]);
      clock.advance(MINUTE_MS);
      await store.addAlerts([alert], { mails: true });
      const { alerts, hasMore } = await store.alertPage("a-1", { limit: 10, offset: 0 });
      const { isMailed: _, ...created } = alert;
      expect([alerts.map(({ id, ...rest }) => [typeof id, rest]), hasMore]).toEqual([
        [
          ["string", { ...created, level: 95, createdAtMs: nowMs }],
          ["string", { ...created, createdAtMs: nowMs }],
        ],
        false,
      ]);
      expect(await deliveriesOf(opened)).toEqual([
        { state: "waiting", attempts: 0, last_result: null },
        { state: "waiting", attempts: 0, last_result: null },
      ]);
      expect([
        await store.alertPage("a-1", { limit: 1, offset: 1 }),
        await store.alertPage("a-2", { limit: 1, offset: 0 }),
      ]).toEqual([
        { alerts: [alerts[1]], hasMore: false },
        { alerts: [], hasMore: false },
      ]);
    });

    test("is not mailed to an unverified address, by a server without mail, or if its owner does not want it", async () => {
      const unverified = await open();
      await unverified.store.setOwnerPassword("a-1", "hash");
      await unverified.store.addAlerts([alert], { mails: true });
      expect(await deliveriesOf(unverified)).toEqual([]);
      const opened = await openVerified();
      const { store } = opened;
      expect(await store.alertPreferences("a-1")).toEqual({ muted: [] });
      await store.setAlertPreferences("a-1", { muted: ["calls.failing"] });
      expect(await store.setAlertPreferences("a-1", { muted: ["quota.threshold"] })).toEqual({ muted: ["quota.threshold"] });
      await store.addAlerts([alert], { mails: true });
      await store.setAlertPreferences("a-1", { muted: [] });
      await store.addAlerts([{ ...alert, level: 50, isMailed: false }], { mails: true });
      await store.addAlerts([{ ...alert, level: 95 }], { mails: false });
      expect(await deliveriesOf(opened)).toEqual([]);
      await store.addAlerts([{ ...alert, level: 100 }], { mails: true });
      expect(await deliveriesOf(opened)).toHaveLength(1);
      const { entries } = await store.auditPage({ accountId: "a-1", actions: ["account.update_alerts"], limit: 1 });
      expect(entries.map(({ details }) => details)).toEqual([{ not_mailed: [] }]);
      await fails(store.setAlertPreferences("a-9", { muted: [] }), "There is no account with the ID a-9.");
    });

    test("is not made for a deleted account, and does not outlive its account", async () => {
      const { store, fixture } = await openVerified();
      await store.addAlerts([alert], { mails: true });
      await store.deleteAccount("a-1");
      await store.addAlerts([{ ...alert, level: 100 }], { mails: true });
      const { alerts, alert_deliveries: deliveries } = await fixture.dump();
      expect([alerts, deliveries]).toEqual([[], []]);
    });

    test("is kept for 90 days with its deliveries", async () => {
      const { store, clock, fixture } = await openVerified();
      await store.addAlerts([alert], { mails: true });
      clock.advance(90 * 86_400_000);
      await store.deleteExpired();
      expect((await fixture.dump()).alerts).toHaveLength(1);
      clock.advance(1);
      await store.deleteExpired();
      const { alerts, alert_deliveries: deliveries } = await fixture.dump();
      expect([alerts, deliveries]).toEqual([[], []]);
    });
  });

  describe("a delivery", () => {
    test("is taken by one server, and by another if the first has not finished it in time", async () => {
      const opened = await openVerified();
      const { store, clock, fixture } = opened;
      const other = await fixture.open(clock);
      await store.addAlerts([alert], { mails: true });
      expect(await store.waitingDeliveries(10)).toBe(1);
      const [first = [], second = []] = await Promise.all([store.claimDeliveries(8, LEASE_MS), other.claimDeliveries(8, LEASE_MS)]);
      const [claimed] = [...first, ...second];
      expect([first.length + second.length, claimed?.attempt, claimed?.email, claimed?.alert.level]).toEqual([
        1,
        1,
        "ops@acme.example",
        80,
      ]);
      clock.advance(LEASE_MS - 1);
      expect(await other.claimDeliveries(8, LEASE_MS)).toEqual([]);
      clock.advance(1);
      const [again] = await other.claimDeliveries(8, LEASE_MS);
      expect([again?.id, again?.attempt]).toEqual([claimed?.id, 2]);
      // The first server was only slow.
      await store.endAttempt({ id: claimed?.id ?? "", attempt: 1 }, { state: "failed", result: "late" });
      await other.endAttempt({ id: again?.id ?? "", attempt: 2 }, sent);
      clock.advance(LEASE_MS);
      expect([await store.claimDeliveries(8, LEASE_MS), await store.waitingDeliveries(10)]).toEqual([[], 0]);
      expect(await deliveriesOf(opened)).toEqual([{ state: "delivered", attempts: 2, last_result: "SENT" }]);
    });

    test("that failed is due again when its pause has passed, and in the order in which they are due", async () => {
      const { store, clock } = await openVerified();
      await store.addAlerts([alert], { mails: true });
      const [claimed] = await store.claimDeliveries(8, LEASE_MS);
      await store.endAttempt(claimed ?? { id: "", attempt: 0 }, { state: "waiting", retryAtMs: nowMs + 5000, result: "ETIMEDOUT" });
      clock.advance(4999);
      expect(await store.claimDeliveries(8, LEASE_MS)).toEqual([]);
      await store.addAlerts([{ ...alert, level: 95 }], { mails: true });
      clock.advance(1);
      const taken = [...(await store.claimDeliveries(1, LEASE_MS)), ...(await store.claimDeliveries(1, LEASE_MS))];
      expect(taken.map(({ attempt, alert: { level } }) => [attempt, level])).toEqual([
        [1, 95],
        [2, 80],
      ]);
    });

    test("of a suspended account has no address", async () => {
      const { store } = await openVerified();
      await store.addAlerts([alert], { mails: true });
      await store.setSuspended("a-1", true);
      expect((await store.claimDeliveries(8, LEASE_MS)).map(({ email }) => email)).toEqual([undefined]);
    });
  });

  describe("keys that expire", () => {
    test("are listed in pages, in the order of their expiry, without revoked and disabled ones", async () => {
      const { store } = await open();
      const expiries = { "k-1": 2000, "k-2": 1000, "k-3": 2000, "k-4": 9000, "k-5": 1500, "k-6": 1600, "k-7": null } as const;
      for (const [id, afterMs] of Object.entries(expiries)) {
        const lifetimeMs = afterMs;
        await store.createKey(
          newKey({ id, hash: id.repeat(8), expiresAtMs: lifetimeMs === null ? null : nowMs + lifetimeMs, lifetimeMs }),
        );
      }
      await store.revokeKey("k-5");
      await store.updateKey("k-6", { disabled: true });
      const first = await store.expiringKeys(nowMs + 2000, { expiresAtMs: nowMs, id: "" }, 2);
      const second = await store.expiringKeys(nowMs + 2000, first.at(-1) ?? { expiresAtMs: 0, id: "" }, 2);
      expect([first.map(({ id }) => id), second.map(({ id }) => id)]).toEqual([["k-2", "k-1"], ["k-3"]]);
      expect(first[0]).toEqual({
        ...{ id: "k-2", accountId: "a-1", name: "first", lastFour: "wxyz" },
        ...{ createdAtMs: nowMs, expiresAtMs: nowMs + 1000, lifetimeMs: 1000 },
      });
    });
  });
}

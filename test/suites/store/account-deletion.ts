// Deleting an account: what is removed, what stays anonymously, and what servers may still write about it.

import { describe, expect, test } from "vitest";
import { type Actor, SERVER_ACTOR } from "../../../src/store/audit-records.ts";
import type { LoggedCall } from "../../../src/store/usage-records.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { account, type Dump, fails, newKey, nowMs, type Openers, radio, subscriptionOf } from "./samples.ts";

const owner: Actor = { kind: "owner", name: "a-1", origin: "192.0.2.7" };
const alice: Actor = { kind: "operator", name: "alice", origin: "host-1" };
const nobody: Actor = { kind: "owner", name: "", origin: "" };
const used = {
  accountId: "a-1",
  keyId: "k-1",
  service: "radio",
  method: "quintet.radio.v1.RadioService/SearchStations",
  day: "2026-11-21",
  hour: 11,
  outcome: "OK",
  calls: 7,
} as const;
const span = {
  fromDay: "2026-11-01",
  toDay: "2026-11-30",
  groupBy: [],
  refunded: [],
  limit: 10,
  offset: 0,
  countsMax: 100,
} as const;

const refused = {
  accountId: "a-1",
  keyId: "k-1",
  service: "radio",
  day: used.day,
  hour: used.hour,
  reason: "KEY_REVOKED",
  calls: 3,
  rateNeeded: 0,
} as const;

const logged: LoggedCall = {
  ...{ accountId: "a-1", keyId: "k-1", keyLastFour: "wxyz", id: "call-1", requestId: "r-1", startedAtMs: nowMs },
  ...{ service: "radio", method: used.method, protocol: "rest", httpStatus: 200, outcome: "OK", isRefused: false, isDryRun: false },
  ...{ durationMs: 1, requestBytes: 0, responseBytes: 1, leftOut: 0, parameters: "{}" },
};

const timed = { service: "radio", hour: "2026-11-21T11", latency: [3] } as const;

// Text that identifies the account, its owner or their data, anywhere in the database.
const MARKS = [
  "a-1",
  "acme",
  "laptop",
  "wxyz",
  "11".repeat(32),
  "k-1",
  "m-1",
  "m-2",
  "m-3",
  "192.0.2.7",
  "curl/8.0",
  "the hash",
  "e-1",
];

// The tables without account data. A new table is in neither list until the test writes rows to it.
const WITHOUT_ACCOUNTS = [
  "change_counter",
  "count_buckets",
  "count_writers",
  "health_hours",
  "incident_updates",
  "incidents",
  "plans",
  "nodes",
  "payment_events",
  "quintet_migrations",
  "quota_raises",
];
// Written when an account is deleted.
const OF_DELETED_ACCOUNTS = ["former_accounts"];

// Notifies servers of changes.
const OF_CHANGES = ["changes", "pending_changes"];

// Where a deleted account still appears, only by its id. PostgreSQL alone has the log of changes.
const LEDGER = {
  accounts: ["id", "name"],
  audit_entries: ["account_id"],
  former_accounts: ["account_id"],
  month_leases: ["account_id"],
  paid_periods: ["account_id"],
  payment_customers: ["account_id"],
  payment_subscriptions: ["account_id"],
  subscriptions: ["account_id"],
};

// Random ids may contain a mark by chance.
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

// Table → the columns that hold one of the marks.
function marked(dump: Dump): Readonly<Record<string, readonly string[]>> {
  const holds = (value: unknown): boolean =>
    Array.isArray(value)
      ? value.some(holds)
      : typeof value === "string" && MARKS.some((mark) => value.replaceAll(UUID, "").includes(mark));
  const columnsOf = (rows: Dump[string]): string[] =>
    [...new Set(rows.flatMap((row) => Object.keys(row).filter((column) => holds(row[column]))))].toSorted();
  return Object.fromEntries(
    Object.entries(dump)
      .map(([table, rows]) => [table, columnsOf(rows)] as const)
      .filter(([, columns]) => columns.length > 0),
  );
}

/** The tests that every store passes. */
export function accountDeletionSuite({ open }: Openers): void {
  describe("a deleted account", () => {
    const openBusy = async () => {
      const opened = await open();
      const { store } = opened;
      const mine = store.by(owner);
      await mine.setOwnerPassword("a-1", "the hash");
      await mine.beginSession({
        tokenHash: "t-1",
        accountId: "a-1",
        passwordHash: "the hash",
        expiresAtMs: nowMs + 1000,
        address: "192.0.2.7",
        userAgent: "curl/8.0",
      });
      await mine.prepareTwoFactor("a-1", "the secret");
      const on = { secret: "the secret", step: 1, recoveryHashes: ["c-1"], currentTokenHash: "t-1" };
      expect(await mine.turnOnTwoFactor("a-1", on)).toBe(true);
      await mine.addChallenge({ tokenHash: "h-1", accountId: "a-1", passwordHash: "the hash", expiresAtMs: nowMs + 1000 });
      const passkey = { credentialId: "wxyz", publicKey: "key", counter: 0, transports: ["internal"], name: "laptop" };
      await mine.addPasskey({ ...passkey, id: "p-1", accountId: "a-1" });
      await mine.addPasskeyChallenge({ challengeHash: "p-2", accountId: "a-1", expiresAtMs: nowMs + 1000 });
      for (const [tokenHash, purpose] of [
        ["m-1", "reset"],
        ["m-2", "verify"],
        ["m-3", "sign_up"],
      ] as const) {
        await mine.addMailToken({
          tokenHash,
          purpose,
          email: account.email,
          accountId: purpose === "sign_up" ? null : "a-1",
          expiresAtMs: nowMs + 1000,
        });
      }
      await mine.createKey(newKey({ name: "laptop", request: { id: "r-1", inputHash: "a key" } }));
      await mine.createSubscription({ ...radio, plan: "pro" });
      await store.addPaymentCustomer("a-1", "cus_1", undefined);
      await store.receiveEvent("evt_1", "invoice.paid");
      const payment = {
        ...{ id: "sub_1", accountId: "a-1", service: "radio" as const, status: "incomplete", isPaused: false, endedBecause: null },
        item: { planId: "radio/pro/1", priceMinor: 2400, currency: "EUR", isOneMonth: true },
        ...{ entitledUntilMs: 0, unpaidSinceMs: null, cancelsAtMs: null, invoiceUrl: null, paidMinor: 0, createdAtMs: nowMs },
      } as const;
      await store.applyPayment(payment, { version: 0, fallsToFree: true, newId: "s-9" });
      await store.by(alice).credit("s-1", "2026-11", 50, "ops@acme.example lost calls");
      await store.lease("s-1", "2026-11", 1000, 100);
      await store.addUsage([used], newBatch());
      await store.addRefusals([refused], newBatch());
      await mine.setAlertPreferences("a-1", { muted: [] });
      await mine.verifyEmail("m-2", undefined);
      const alert = {
        type: "quota.threshold",
        subject: "radio",
        period: "2026-11/free",
        level: 80,
        details: {},
        isMailed: true,
      } as const;
      const endpoint = { id: "e-1", accountId: "a-1", url: "https://acme.example/hook", description: "laptop", alertTypes: [] };
      await mine.createWebhookEndpoint({ ...endpoint, secret: "whsec_acme" });
      await store.addAlerts([{ ...alert, accountId: "a-1" }], { mails: true });
      for (const webhook of await store.claimWebhooks({ limit: 2, leaseMs: 1, perAccountMax: 2, exceptAccountIds: [] })) {
        const response = { atMs: nowMs, durationMs: 1, httpStatus: 200, response: "acme", error: undefined };
        await store.endWebhookAttempt(webhook, { ...response, state: "delivered", isGone: false }, { mails: true });
      }
      const invited = { id: "i-1", accountId: "a-1", role: "reader", invitedBy: "a-1", expiresAtMs: nowMs + 1000 } as const;
      await store.createOwnedAccount({ id: "a-2", name: "ada", email: "ada@example.com" }, "hash");
      await mine.inviteMember({ ...invited, email: "ada@example.com", tokenHash: "m-4" });
      await store.by({ kind: "member", name: "a-2", origin: "192.0.2.7" }).acceptInvitation("m-4", "a-2");
      await mine.inviteMember({ ...invited, id: "i-2", email: "laptop@example.com", tokenHash: "m-5" });
      await mine.setKeepsParameters("a-1", true);
      await store.logCalls([logged]);
      await store.addLatency([{ ...timed, accountId: "a-1" }]);
      await store.createKey(newKey({ id: "k-2", accountId: "a-2", hash: "22".repeat(32), lastFour: "abcd" }));
      await store.createSubscription({ ...radio, id: "s-2", accountId: "a-2" });
      await store.addUsage([{ ...used, accountId: "a-2", keyId: "k-2" }], newBatch());
      return opened;
    };

    test("can no longer be found, signed in to or called with", async () => {
      const { store } = await openBusy();
      await store.by(owner).deleteAccount("a-1");
      expect({
        account: [await store.findAccount("a-1"), await store.findAccount("acme")],
        listed: (await store.accountsAfter("", 1000)).map(({ id }) => id),
        owner: [await store.findOwner("ops@acme.example"), await store.findOwnerOf("a-1")],
        session: await store.findSession("t-1"),
        credential: await store.findCredential("11".repeat(32)),
        keys: await store.listKeys("a-1"),
        current: await store.listCurrentSubscriptions("a-1"),
      }).toEqual({
        account: [undefined, undefined],
        listed: ["a-2"],
        owner: [undefined, undefined],
        session: undefined,
        credential: undefined,
        keys: [],
        current: [],
      });
    });

    test("is only in the ledger's tables, and only by its id", async () => {
      const { store, fixture } = await openBusy();
      // Some of its counts are added up, and others are not.
      await store.keyUses("a-1");
      await store.addUsage([used], newBatch());
      await store.acknowledged();
      const before = await fixture.dump();
      const tables = Object.keys(before).filter(
        (table) => ![...WITHOUT_ACCOUNTS, ...OF_DELETED_ACCOUNTS, ...OF_CHANGES].includes(table),
      );
      expect(
        Object.keys(marked(before))
          .filter((table) => !OF_CHANGES.includes(table))
          .toSorted(),
      ).toEqual(tables.toSorted());
      await store.by(owner).deleteAccount("a-1");
      await store.acknowledged();
      const after = await fixture.dump();
      const { changes = [], ...left } = marked(after);
      expect(left).toEqual(LEDGER);
      expect(changes).toEqual((before.changes ?? []).length === 0 ? [] : ["account_ids"]);
      expect(after.accounts?.find(({ id }) => id === "a-1")).toMatchObject({ name: "deleted-a-1", email: null, operator: 0 });
    });

    test("leaves a ledger of its subscriptions and monthly calls", async () => {
      const { store } = await openBusy();
      await store.by(owner).deleteAccount("a-1");
      expect(await store.listSubscriptions("a-1")).toEqual([subscriptionOf({ plan: "pro", state: "cancelled" })]);
      expect(await store.leasedCalls(["s-1"], "2026-11")).toEqual([
        { subscriptionId: "s-1", month: "2026-11", leased: 100, credited: 50, raised: 0 },
      ]);
    });

    test("leaves no name or address in the audit trail, except what an operator did", async () => {
      const { store } = await openBusy();
      await store.by(owner).deleteAccount("a-1");
      const { entries } = await store.auditPage({ accountId: "a-1", limit: 100 });
      expect(entries.map(({ action, actor, accountName }) => [action, actor, accountName])).toEqual([
        ["account.delete", nobody, null],
        ["subscription.cancel", nobody, null],
        ["quota.credit", alice, null],
        ["payment.update", SERVER_ACTOR, null],
        ["subscription.create", nobody, null],
      ]);
      expect(JSON.stringify(entries)).not.toMatch(/acme|192\.0\.2|wxyz/);
      const credited = { service: "radio", month: "2026-11", calls: 50, credited: 50 };
      expect(entries.find(({ action }) => action === "quota.credit")?.details).toEqual(credited);
    });

    test("is recorded with the operator who deleted it", async () => {
      const { store } = await openBusy();
      await store.by(alice).deleteAccount("a-1");
      const { entries } = await store.auditPage({ accountId: "a-1", actions: ["account.delete"], limit: 100 });
      expect(entries.map(({ actor }) => actor)).toEqual([alice]);
    });

    test("frees its name and its address", async () => {
      const { store } = await openBusy();
      await store.by(owner).deleteAccount("a-1");
      await store.createOwnedAccount({ id: "a-3", name: account.name, email: account.email }, "other hash");
      expect((await store.findAccount("acme"))?.id).toBe("a-3");
    });

    test("can return a lease and be counted late, without errors and without being stored", async () => {
      const { store } = await openBusy();
      await store.by(owner).deleteAccount("a-1");
      await store.returnCalls("s-1", "2026-11", 60);
      await store.addUsage([used, { ...used, accountId: "a-2", keyId: "k-2" }], newBatch());
      await store.addRefusals([refused], newBatch());
      await store.addLatency([
        { ...timed, accountId: "a-1" },
        { ...timed, accountId: "a-2" },
      ]);
      const { day } = used;
      const page = { fromDay: day, toDay: day, limit: 1, offset: 0, countsMax: 10 };
      for (const groupBy of [["day"], ["hour"]] as const) {
        expect(await store.refusalRows({ ...page, accountId: "a-1", groupBy })).toEqual({ total: 0, rows: [] });
      }
      expect(await store.usageRows({ ...page, accountId: "a-1", groupBy: ["hour"], refunded: [] })).toEqual({ total: 0, rows: [] });
      const latencyOf = async (accountId: string) =>
        (await store.latencyRows({ ...page, accountId, groupBy: ["hour"] })).rows.length;
      expect([await latencyOf("a-1"), await latencyOf("a-2")]).toEqual([0, 1]);
      expect((await store.leasedCalls(["s-1"], "2026-11")).map(({ leased }) => leased)).toEqual([40]);
      expect(await store.usageRows({ ...span, accountId: "a-1" })).toEqual({ total: 0, rows: [] });
      expect([...(await store.keyUses("a-1"))]).toEqual([]);
      expect((await store.usageRows({ ...span, accountId: "a-2" })).rows).toEqual([{ calls: 14, failed: 0, counted: 14 }]);
      expect([...(await store.keyUses("a-2"))]).toEqual([["k-2", nowMs]]);
    });

    test("is forgotten, even if rows about it were written during its deletion", async () => {
      const { store, clock, fixture } = await openBusy();
      await store.by(owner).deleteAccount("a-1");
      await fixture.run(`
        insert into usage_counts (account_id, key_id, service, method, day, outcome, calls) values ('a-1', 'k-1', 'radio', 'm', '2026-11-21', 'OK', 1);
        insert into refusal_counts (account_id, key_id, service, day, reason, calls, rate_needed) values ('a-1', 'k-1', 'radio', '2026-11-21', 'r', 1, 0);
      `);
      const accounts = async () => {
        while (await store.addUpCounts()) {}
        const { usage_counts: usage, refusal_counts: refusals } = await fixture.dump();
        return [usage, refusals].map((rows) => rows?.map((row) => row.account_id).toSorted());
      };
      clock.advance(59_999);
      expect(await accounts()).toEqual([["a-1", "a-2"], ["a-1"]]);
      clock.advance(1);
      expect(await accounts()).toEqual([["a-2"], []]);
    });

    test("does not prevent writing others' usage, however many were deleted", async () => {
      const { store, fixture } = await openBusy();
      await fixture.run(`
        with recursive deleted(number) as (select 1 union all select number + 1 from deleted where number < 70000)
        insert into accounts (id, name, email, suspended, created_at_ms, deleted_at_ms)
          select 'd-' || number, 'deleted-d-' || number, null, 1, ${nowMs}, ${nowMs} from deleted
      `);
      await store.addUsage([{ ...used, accountId: "a-2", keyId: "k-2" }], newBatch());
      expect((await store.usageRows({ ...span, accountId: "a-2" })).rows).toEqual([{ calls: 14, failed: 0, counted: 14 }]);
    });

    test("is announced, and leaves others unchanged", async () => {
      const { store } = await openBusy();
      const heard: (string | undefined)[] = [];
      store.onChange((accountId) => heard.push(accountId));
      await store.by(owner).deleteAccount("a-1");
      expect(heard).toEqual(["a-1"]);
      expect((await store.findCredential("22".repeat(32)))?.subscriptions.map(({ id }) => id)).toEqual(["s-2"]);
      expect((await store.findOwner("ada@example.com"))?.accountId).toBe("a-2");
    });

    test("accepts no key, subscription, password or state, and cannot be deleted again", async () => {
      const { store } = await openBusy();
      await store.by(owner).deleteAccount("a-1");
      const gone = "There is no account with the ID a-1.";
      await fails(store.createKey(newKey({ id: "k-3", hash: "33".repeat(32) })), gone);
      await fails(store.createSubscription({ ...radio, id: "s-3" }), gone);
      await fails(store.setOwnerPassword("a-1", "hash"), gone);
      await fails(store.setSuspended("a-1", false), gone);
      await fails(store.deleteAccount("a-1"), gone);
      await fails(store.deleteAccount("a-9"), "There is no account with the ID a-9.");
    });

    test("lets a simultaneous sign-in succeed or be refused, and leaves no session", async () => {
      const { store } = await openBusy();
      const begin = (tokenHash: string) =>
        store.beginSession({ tokenHash, accountId: "a-1", passwordHash: "the hash", expiresAtMs: nowMs + 1000 });
      const [first, , last] = await Promise.all([begin("t-2"), store.deleteAccount("a-1"), begin("t-3")]);
      expect([typeof first, typeof last]).toEqual(["boolean", "boolean"]);
      expect(await Promise.all(["t-1", "t-2", "t-3"].map((tokenHash) => store.findSession(tokenHash)))).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    });
  });
}

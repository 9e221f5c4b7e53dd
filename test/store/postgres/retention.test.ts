// Every table that grows is pruned: a month of customers who come and go, and what is left of it two years later. A table without a rule
// here fails the test. The database vacuums what was deleted.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { AlertRules } from "../../../src/store/alert-records.ts";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import type { LoggedCall } from "../../../src/store/usage-records.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { offerBuiltInPlans } from "../../fixtures/plan-file.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";

const BEGIN_MS = Date.UTC(2026, 9, 1, 12);
const DAY_MS = 86_400_000;
const DAYS = 31;
const CUSTOMERS = 10;
const KEYS_A_DAY = 4;
const BATCHES_A_DAY = 10;
const HOURS_A_DAY = 2;
const RECOVERY_CODES = 10;

/** A table: who deletes its rows, how many there may be after the month, and how many 26 months later. */
interface Rule {
  readonly by: string;
  readonly rowsMax: number;
  readonly later: number;
}

const RULES: Readonly<Record<string, Rule>> = {
  accounts: { by: "each server, two years after an account was deleted", rowsMax: CUSTOMERS + 1 + DAYS, later: CUSTOMERS + 1 },
  alert_checks: { by: "the server that checks them", rowsMax: 0, later: 0 },
  alert_deliveries: { by: "the deletion of the alert", rowsMax: DAYS * (CUSTOMERS + 1), later: 0 },
  alert_preferences: { by: "the deletion of the account", rowsMax: 1, later: 1 },
  alerts: { by: "each server, after 90 days", rowsMax: DAYS * CUSTOMERS, later: 0 },
  api_keys: {
    by: "the next key of the account, beyond 900 ended and 20 short-lived ones",
    rowsMax: CUSTOMERS + 942,
    later: CUSTOMERS + 942,
  },
  audit_entries: { by: "each server, and each new entry, after 400 days or beyond 10,000 of an account", rowsMax: 5000, later: 0 },
  invitations: { by: "each server, after a week, and the deletion of the account", rowsMax: 8, later: 0 },
  members: { by: "an owner, the member, and the deletion of either account", rowsMax: 1, later: 1 },
  change_counter: { by: "nobody: one row", rowsMax: 1, later: 1 },
  changes: { by: "each change, beyond 1000", rowsMax: 1000, later: 1000 },
  count_batches: { by: "the server that adds them up", rowsMax: 0, later: 0 },
  count_buckets: { by: "nobody: one row for each of 64 buckets", rowsMax: 64, later: 64 },
  count_writers: { by: "each server, after a week", rowsMax: 2 * BATCHES_A_DAY * 8, later: 0 },
  former_accounts: { by: "each server, after the month, and the next account with the address", rowsMax: 2, later: 0 },
  health_hours: { by: "each server, after 90 days", rowsMax: 91, later: 0 },
  incident_updates: { by: "the deletion of the incident", rowsMax: 2 * DAYS, later: 0 },
  incidents: { by: "an operator, and each server, 90 days after it has ended", rowsMax: DAYS, later: 0 },
  key_requests: { by: "each server, after a day", rowsMax: 2 * KEYS_A_DAY, later: 0 },
  key_uses: { by: "the next key of the account", rowsMax: CUSTOMERS, later: CUSTOMERS },
  latency_days: { by: "each server, after 366 days", rowsMax: DAYS, later: 0 },
  latency_hours: { by: "each server, after a week", rowsMax: 8, later: 0 },
  logged_calls: { by: "each server, after a week", rowsMax: 8 * CUSTOMERS, later: 0 },
  mail_tokens: { by: "each server, when they end", rowsMax: 5, later: 0 },
  month_leases: { by: "each server, after two years", rowsMax: 2 * CUSTOMERS + DAYS + 1, later: 0 },
  nodes: { by: "each server that starts, an hour after the end", rowsMax: 1, later: 0 },
  owner_sessions: { by: "each server, when they end", rowsMax: 5, later: 0 },
  owners: { by: "the deletion of the account", rowsMax: CUSTOMERS + 1, later: CUSTOMERS + 1 },
  paid_periods: { by: "each server, two years after the account was deleted", rowsMax: 0, later: 0 },
  parameter_logs: { by: "the account's owner, and its deletion", rowsMax: 1, later: 1 },
  passkey_challenges: { by: "each server, when they end", rowsMax: 5, later: 0 },
  passkeys: { by: "whoever deletes them, and the deletion of the account", rowsMax: 1, later: 1 },
  payment_customers: { by: "each server, two years after the account was deleted", rowsMax: 0, later: 0 },
  payment_events: { by: "each server, after 30 days", rowsMax: 0, later: 0 },
  payment_subscriptions: { by: "each server, two years after the account was deleted", rowsMax: 0, later: 0 },
  pending_changes: { by: "whoever announces them, at once", rowsMax: 0, later: 0 },
  plans: { by: "nobody: one row for each version of a plan", rowsMax: 100, later: 100 },
  quintet_migrations: { by: "nobody: one row for each migration", rowsMax: 100, later: 100 },
  quota_raises: { by: "each server, after the month", rowsMax: 5, later: 0 },
  recent_calls: { by: "each server, after 135 minutes", rowsMax: CUSTOMERS, later: 0 },
  recovery_codes: {
    by: "whoever uses or replaces them, and the deletion of the account",
    rowsMax: RECOVERY_CODES,
    later: RECOVERY_CODES,
  },
  refusal_counts: { by: "each server, after 366 days", rowsMax: DAYS * CUSTOMERS, later: 0 },
  refusal_hours: { by: "each server, after a week", rowsMax: 8 * HOURS_A_DAY * CUSTOMERS, later: 0 },
  sign_in_challenges: { by: "each server, when they end", rowsMax: 5, later: 0 },
  subscriptions: {
    by: "the next subscription of the account, beyond 100 cancelled, and each server, two years after the account was deleted",
    rowsMax: CUSTOMERS + 101 + DAYS + 1,
    later: CUSTOMERS + 102,
  },
  webhook_attempts: { by: "each server, after a week", rowsMax: 8, later: 0 },
  webhook_endpoints: { by: "the account's owner, and its deletion", rowsMax: 2, later: 2 },
  two_factors: { by: "whoever turns it off, and the deletion of the account", rowsMax: 1, later: 1 },
  usage_counts: { by: "each server, after two years", rowsMax: DAYS * CUSTOMERS, later: 0 },
  usage_hours: { by: "each server, after a week", rowsMax: 8 * HOURS_A_DAY * CUSTOMERS, later: 0 },
};

const countOf = (customer: number, day: string, hour: number) => ({
  accountId: `a-${customer}`,
  keyId: `k-${customer}`,
  service: "radio" as const,
  method: "m/Search",
  day,
  hour,
  outcome: "OK",
  calls: 1,
});

const loggedCallOf = (customer: number, nowMs: number): LoggedCall => ({
  ...{
    accountId: `a-${customer}`,
    id: `call-${nowMs}`,
    startedAtMs: nowMs,
    service: "radio",
    method: "m/Search",
    protocol: "rest",
  },
  ...{ httpStatus: 200, outcome: "OK", isRefused: false, isDryRun: false, durationMs: 1, requestBytes: 0, responseBytes: 1 },
  ...{ requestId: "r", keyId: `k-${customer}`, keyLastFour: "wxyz", leftOut: 0, parameters: "{}" },
});

// Each customer gets an alert each day.
const alertRules: AlertRules = {
  needsCounts: () => true,
  alertsOf: ({ accountId, service }, _, nowMs) => [
    { accountId, type: "quota.threshold", subject: service, period: `${nowMs}`, level: 80, details: {}, isMailed: true },
  ],
};

// What customers and servers do on a day.
async function live(store: Store, nowMs: number, number: number): Promise<void> {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const hours = Array.from({ length: HOURS_A_DAY }, (_, hour) => hour);
  const counts = Array.from({ length: CUSTOMERS }, (_, customer) => hours.map((hour) => countOf(customer, day, hour))).flat();
  for (let batch = 0; batch < BATCHES_A_DAY; batch++) {
    await store.addUsage(counts, newBatch());
    await store.addRefusals(
      counts.map((count) => ({ ...count, reason: "RATE_LIMITED", rateNeeded: 7 })),
      newBatch(),
    );
  }
  await store.logCalls(Array.from({ length: CUSTOMERS }, (_, customer) => loggedCallOf(customer, nowMs)));
  await store.addHealth([{ service: "radio", part: "calls", hour: `${day}T12`, calls: 9, failed: 1, refused: 2, latency: [9] }]);
  await store.addLatency([{ accountId: "a-0", service: "radio", hour: `${day}T12`, latency: [1] }]);
  await store.createIncident({
    ...{ id: `incident-${number}`, title: "Slow", impact: "degraded", services: [], beginsAtMs: nowMs, endsAtMs: null },
    update: { state: "investigating", text: "We look into it." },
  });
  await store.addIncidentUpdate(`incident-${number}`, { state: "resolved", text: "It is over." });
  await store.setKeepsParameters("a-0", number % 2 === 0);
  const key = { accountId: "a-0", name: "key", prefix: "qk_live_", lastFour: "wxyz", services: null };
  for (let created = 0; created < KEYS_A_DAY; created++) {
    const id = `key-${number}-${created}`;
    const lifetimeMs = created === 0 ? 600_000 : null;
    const expiresAtMs = lifetimeMs === null ? null : nowMs + lifetimeMs;
    await store.createKey({ ...key, id, hash: id, expiresAtMs, lifetimeMs, request: { id, inputHash: id } });
    await store.revokeKey(id);
  }
  for (let created = 0; created < 5; created++) {
    const id = `s-${number}-${created}`;
    await store.createSubscription({ id, accountId: "a-0", service: "farkle", plan: "free", state: "active" });
    await store.cancel(id);
    const soon = { tokenHash: id, expiresAtMs: nowMs + 3_600_000 };
    await store.beginSession({ ...soon, accountId: "a-0", passwordHash: "hash" });
    await store.addChallenge({ ...soon, accountId: "a-0", passwordHash: "hash" });
    await store.addMailToken({ ...soon, accountId: "a-0", email: `mail-${id}@example.com`, purpose: "verify" });
  }
  for (let customer = 0; customer < CUSTOMERS; customer++) {
    const month = day.slice(0, 7) as `${number}-${number}`;
    await store.lease(`s-${customer}`, month, 1_000_000, 10);
  }
  // A customer who deletes their account and returns the next day.
  await store.deleteAccount(`guest-${number - 1}`);
  const guest = `guest-${number}`;
  await subscribed(store, guest, "guest");
  const invitation = { id: `invitation-${number}`, accountId: "a-0", tokenHash: `invitation-${number}`, role: "reader" } as const;
  const expiresAtMs = nowMs + 7 * DAY_MS;
  await store.inviteMember({ ...invitation, email: "guest@example.com", invitedBy: "a-0", expiresAtMs });
  await store.acceptInvitation(invitation.tokenHash, guest);
  await store.setAlertPreferences(guest, { muted: ["key.expiring"] });
  const endpoint = { url: "https://example.com/hook", description: "", alertTypes: [], secret: "whsec_secret" };
  await store.createWebhookEndpoint({ ...endpoint, id: `endpoint-${guest}`, accountId: guest });
  if (number === 1) {
    await store.createWebhookEndpoint({ ...endpoint, id: "endpoint-0", accountId: "a-0" });
  }
  await store.prepareTwoFactor(guest, "secret");
  const recoveryHashes = Array.from({ length: RECOVERY_CODES }, (_, code) => `code-${code}`);
  await store.turnOnTwoFactor(guest, { secret: "secret", step: number, recoveryHashes, currentTokenHash: "none" });
  if (number % 7 === 0) {
    await store.addQuotaRaise({ id: `raise-${number}`, month: day.slice(0, 7) as `${number}-${number}`, seconds: 10, percent: 0 });
  }
}

// Delivers what is due to endpoints.
async function sendWebhooks(store: Store, nowMs: number): Promise<void> {
  for (const webhook of await store.claimWebhooks({ limit: 16, leaseMs: 1000, perAccountMax: 16, exceptAccountIds: [] })) {
    const response = { atMs: nowMs, durationMs: 1, httpStatus: 200, response: "ok", error: undefined };
    await store.endWebhookAttempt(webhook, { ...response, state: "delivered", isGone: false }, { mails: true });
  }
}

async function subscribed(store: Store, id: string, name: string): Promise<void> {
  await store.createOwnedAccount({ id, name, email: `${name}@example.com` }, "hash");
  await store.createSubscription({
    id: `s-${id.replace("a-", "")}`,
    accountId: id,
    service: "radio",
    plan: "free",
    state: "active",
  });
}

async function untilFalse(work: () => Promise<boolean>): Promise<void> {
  while (await work()) {}
}

describeWith(postgres, "Over a month and two years", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(undefined, { autovacuum_naptime: "1s" });
  });
  afterAll(() => server.close());

  test("every table keeps what its rule says, and is vacuumed", async () => {
    const clock = createManualClock({ nowMs: BEGIN_MS });
    const url = await server.createDatabase();
    const options = { dataDir: "/nonexistent", database: { url, connectionsMax: 5, staleAfterMs: 10_000 }, clock };
    await migrateStore(options);
    const store = await openStore({ ...options, role: "command" });
    onTestFinished(() => store.close());
    await offerBuiltInPlans(store);
    for (let customer = 0; customer < CUSTOMERS; customer++) {
      await subscribed(store, `a-${customer}`, `customer-${customer}`);
      const key = { id: `k-${customer}`, accountId: `a-${customer}`, name: "key", hash: `hash-${customer}`, prefix: "qk_live_" };
      await store.createKey({ ...key, lastFour: "wxyz", services: null, expiresAtMs: null, lifetimeMs: null });
    }
    await subscribed(store, "guest-0", "guest");
    const maintain = async (): Promise<void> => {
      await untilFalse(() => store.addUpCounts());
      await untilFalse(async () => (await store.checkAlerts(alertRules, { refunded: [], mails: true, limit: 50 })) > 0);
      await sendWebhooks(store, clock.nowMs());
      await untilFalse(() => store.deleteExpired());
    };
    const rows = (): Promise<Record<string, number>> =>
      inDatabase(url, async (client) => {
        const tables = await client.query<{ name: string }>(
          "select tablename as name from pg_tables where schemaname = current_schema()",
        );
        const found: Record<string, number> = {};
        for (const { name } of tables.rows) {
          found[name] = Number((await client.query(`select count(*) as n from ${name}`)).rows[0].n);
        }
        return found;
      });
    await inDatabase(url, (client) =>
      client.query(`
        update accounts set email_verified_at_ms = ${BEGIN_MS};
        insert into nodes (id, change_number, expires_at_ms, protocol) values ('crashed', 0, 0, 2);
        insert into api_keys (id, account_id, name, hash, prefix, last_four, created_at_ms, disabled, revoked_at_ms)
          select 'old-' || n, 'a-0', 'old', 'old-' || n, 'qk_live_', 'wxyz', n, 0, n from generate_series(1, 6000) as n
      `),
    );
    for (let number = 1; number <= DAYS; number++) {
      await live(store, clock.nowMs(), number);
      await maintain();
      clock.advance(DAY_MS);
    }
    const month = await rows();
    expect(Object.keys(month).toSorted()).toEqual(Object.keys(RULES).toSorted());
    expect(Object.entries(month).filter(([name, count]) => count > (RULES[name]?.rowsMax ?? 0))).toEqual([]);
    expect(month).toMatchObject({
      alerts: DAYS * CUSTOMERS,
      alert_deliveries: DAYS * (CUSTOMERS + 1),
      alert_preferences: 1,
      recent_calls: CUSTOMERS,
      recovery_codes: RECOVERY_CODES,
      invitations: 8,
      members: 1,
      sign_in_challenges: 5,
      two_factors: 1,
      webhook_attempts: 8,
      webhook_endpoints: 2,
    });

    clock.advance(26 * 31 * DAY_MS);
    await maintain();
    // A server starts.
    await (await openStore({ ...options, role: "server" })).close();
    const later = await rows();
    expect(Object.entries(later).filter(([name, count]) => count > (RULES[name]?.later ?? 0))).toEqual([]);

    // Tables whose rows come and go have few dead rows after a while.
    await expect
      .poll(() =>
        inDatabase(url, async (client) => {
          const { rows: unclean } = await client.query(
            `select relname from pg_stat_user_tables
              where n_dead_tup > 5000 + 0.3 * n_live_tup or (relname in ('count_batches', 'api_keys') and autovacuum_count = 0)`,
          );
          return unclean;
        }),
      )
      .toEqual([]);
  });
});

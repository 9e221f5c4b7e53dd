// A database with one customer, the servers on it that send alerts, and the SMTP server that they send e-mails to, with a clock that the
// test controls.
import { expect, onTestFinished } from "vitest";
import { type Alerts, beginAlerts } from "../../src/alerts/alerts.ts";
import { HIGHEST_ENTITLEMENTS } from "../../src/catalogue/entitlements.ts";
import type { Plan } from "../../src/catalogue/plan.ts";
import { createSmtpTransport } from "../../src/mail/smtp-transport.ts";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock, type ManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../fixtures/migrated-data.ts";
import { newBatch } from "../fixtures/new-batch.ts";
import { type SmtpBehaviour, startSmtp } from "../fixtures/servers/smtp.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const ROUNDS = 4;
const email = "ops@acme.example";
const publicUrl = "https://api.example.com";
const plans: readonly Plan[] = [
  {
    id: "radio/free/1",
    ...{ service: "radio", name: "free", priceMinor: 0, currency: "EUR", callsPerMonth: 1000, requestsPerSecond: 1 },
    entitlements: HIGHEST_ENTITLEMENTS,
  },
];
const webhooks = { userAgent: "Quintet/1", connectTimeoutMs: 1000, allowsPrivate: true };
const config = (port: number) => ({
  smtp: { host: "127.0.0.1", port, isSecure: false, needsStartTls: false, credentials: undefined },
  ...{ from: "no-reply@example.com", publicUrl },
});

/** The scene of a test. */
export interface AlertScene {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly smtp: Awaited<ReturnType<typeof startSmtp>>;
  begin(): Promise<Alerts>;
  /** Lets time pass, and lets everything that falls due happen. */
  pass(ms: number): Promise<void>;
  spend(calls: number): Promise<void>;
}

/** Opens it, with an account `a-1` that has a free plan for radio stations: 1000 calls a month. */
export async function open(behaviour: SmtpBehaviour = {}): Promise<AlertScene> {
  const clock = createManualClock({ nowMs });
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "command" });
  const smtp = await startSmtp(behaviour);
  const running = new Set<Alerts>();
  onTestFinished(async () => {
    await Promise.all([...running].map((alerts) => alerts.close(0)));
    await store.close();
    await smtp.close();
  });
  await store.createOwnedAccount({ id: "a-1", name: "acme", email }, "hash");
  await store.addMailToken({ tokenHash: "t", purpose: "verify", email, accountId: "a-1", expiresAtMs: nowMs + 1 });
  await store.verifyEmail("t", undefined);
  await store.applyPlans(plans);
  await store.createSubscription({ id: "s-1", accountId: "a-1", service: "radio", plan: "free", state: "active" });
  return {
    ...{ clock, store, smtp },
    async begin() {
      const transport = await createSmtpTransport(config(smtp.port));
      const options = { store, clock, randomness: { ...systemRandomness, unit: () => 1 / 2 }, log: createLog("silent") };
      const alerts = beginAlerts({ ...options, checksMax: 50, refunded: [], mail: { transport, publicUrl }, webhooks });
      const server = {
        ...alerts,
        async close(withinMs: number) {
          running.delete(server);
          let isClosed = false;
          const closing = alerts.close(withinMs).then(() => {
            isClosed = true;
          });
          // The time within which it must close passes.
          await expect.poll(() => clock.advance(withinMs) ?? isClosed).toBe(true);
          await closing;
        },
      };
      running.add(server);
      return server;
    },
    async pass(ms) {
      clock.advance(ms);
      // Every round waits for its next time, and no request for its response.
      await expect.poll(() => clock.pending).toBe(ROUNDS * running.size);
    },
    async spend(calls) {
      await store.lease("s-1", "2026-11", 1000, calls);
      const count = { accountId: "a-1", keyId: "k-1", service: "radio", method: "m/Search", day: "2026-11-21", hour: 12 } as const;
      await store.addUsage([{ ...count, outcome: "OK", calls }], newBatch());
      await store.topAccounts({ fromDay: "2026-11-21", toDay: "2026-11-21", refunded: [], limit: 1 });
    },
  };
}

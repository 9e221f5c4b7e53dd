// Alerts from the counted call to the e-mail: with a store, several servers on it, and a real SMTP server, at times that the test sets.
import { expect, onTestFinished, test } from "vitest";
import { type Alerts, beginAlerts } from "../../src/alerts/alerts.ts";
import { MOST_ENTITLEMENTS } from "../../src/catalogue/entitlements.ts";
import { offer } from "../../src/catalogue/plans.ts";
import { createSmtpTransport } from "../../src/mail/smtp-transport.ts";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock, type ManualClock } from "../fixtures/manual-clock.ts";
import { newBatch } from "../fixtures/new-batch.ts";
import { type SmtpBehaviour, startSmtp } from "../fixtures/servers/smtp.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const email = "ops@acme.example";
const publicUrl = "https://api.example.com";
const plans = offer([
  {
    ...{ service: "radio", name: "free", priceMinor: 0, currency: "EUR", callsPerMonth: 1000, requestsPerSecond: 1 },
    entitlements: MOST_ENTITLEMENTS,
  },
]);
const config = (port: number) => ({
  smtp: { host: "127.0.0.1", port, isSecure: false, needsStartTls: false, credentials: undefined },
  ...{ from: "no-reply@example.com", publicUrl },
});

interface Place {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly smtp: Awaited<ReturnType<typeof startSmtp>>;
  begin(): Promise<Alerts>;
  /** Lets time pass, and lets everything that falls due happen. */
  pass(ms: number): Promise<void>;
  spend(calls: number): Promise<void>;
}

async function open(behaviour: SmtpBehaviour = {}): Promise<Place> {
  const clock = createManualClock({ nowMs });
  const store = await openStore({ dataDir: temporaryDirectory(), clock, role: "command" });
  const smtp = await startSmtp(behaviour);
  const begun: Alerts[] = [];
  onTestFinished(async () => {
    await Promise.all(begun.map((alerts) => alerts.close(0)));
    await store.close();
    await smtp.close();
  });
  await store.createOwnedAccount({ id: "a-1", name: "acme", email }, "hash");
  await store.addMailToken({ tokenHash: "t", purpose: "verify", email, accountId: "a-1", expiresAtMs: nowMs + 1 });
  await store.verifyEmail("t", undefined);
  await store.createSubscription({ id: "s-1", accountId: "a-1", service: "radio", plan: "free", state: "active" });
  return {
    ...{ clock, store, smtp },
    async begin() {
      const transport = await createSmtpTransport(config(smtp.port));
      const options = { store, plans, clock, randomness: { ...systemRandomness, unit: () => 1 / 2 }, log: createLog("silent") };
      const alerts = beginAlerts({ ...options, refunded: [], mail: { transport, publicUrl } });
      begun.push(alerts);
      return alerts;
    },
    async pass(ms) {
      clock.advance(ms);
      await expect.poll(() => store.waitingDeliveries(10).then(() => clock.pending)).toBeGreaterThanOrEqual(3);
    },
    async spend(calls) {
      await store.lease("s-1", "2026-11", 1000, calls);
      const count = { accountId: "a-1", keyId: "k-1", service: "radio", method: "m/Search", day: "2026-11-21", hour: 12 } as const;
      await store.addUsage([{ ...count, outcome: "OK", calls }], newBatch());
      await store.topAccounts({ fromDay: "2026-11-21", toDay: "2026-11-21", refunded: [], limit: 1 });
    },
  };
}

const subjectOf = ({ source }: { readonly source: string }): string =>
  /^Subject: (.*(?:\r\n .*)*)/m.exec(source)?.[1]?.replaceAll("\r\n ", " ") ?? "";

test("each part of a month is mailed once, by two servers on one database", async () => {
  const { smtp, pass, begin, spend } = await open();
  await Promise.all([begin(), begin()]);
  const subjects: string[] = [];
  for (const calls of [500, 300, 150, 50]) {
    await spend(calls);
    for (let round = 0; round < 4; round++) {
      await pass(5000);
    }
    await expect.poll(() => smtp.mails.length).toBe(subjects.length + 1);
    subjects.push(subjectOf(smtp.mails.at(-1) ?? { source: "" }));
  }
  const month = "of the calls of November 2026 are used";
  expect(subjects).toEqual([
    ...[50, 80, 95].map((percent) => `Radio stations: ${percent} % ${month}`),
    "Radio stations: all calls of November 2026 are used",
  ]);
});

test("an e-mail that fails is tried again later, with the same message id, and how it ended is recorded", async () => {
  const behaviour: SmtpBehaviour = { refuses: "451 4.3.0 later" };
  const { store, smtp, pass, begin, spend } = await open(behaviour);
  const alerts = await begin();
  await spend(500);
  await pass(5000);
  await pass(5000);
  await expect.poll(() => alerts.counts).toEqual({ delivered: 0, retried: 1, failed: 0 });
  behaviour.refuses = undefined;
  await pass(5000);
  await pass(5000);
  await expect.poll(() => alerts.counts).toEqual({ delivered: 1, retried: 1, failed: 0 });
  await expect.poll(() => store.waitingDeliveries(10)).toBe(0);
  const { alerts: made } = await store.alertPage("a-1", { limit: 10, offset: 0 });
  expect(smtp.mails.map(({ source }) => /^Message-ID: (.*)$/im.exec(source)?.[1])).toEqual([`<${made[0]?.id}@api.example.com>`]);
});

test("an e-mail that the server refuses for good is not tried again", async () => {
  const { store, smtp, pass, begin, spend } = await open({ refuses: "550 5.1.1 no such mailbox" });
  const alerts = await begin();
  await spend(500);
  await pass(5000);
  await pass(5000);
  await expect.poll(() => alerts.counts).toEqual({ delivered: 0, retried: 0, failed: 1 });
  await expect.poll(() => store.waitingDeliveries(10)).toBe(0);
  expect(smtp.mails).toEqual([]);
});
